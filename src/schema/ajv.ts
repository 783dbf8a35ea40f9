import { isPromise } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { copyPlain, isPlainObject } from '../utils/object.ts'
import { importPeer } from '../utils/peer.ts'
import type { Fault } from './faults.ts'
import { DATE_SCHEMA, isJsonSchema, type JsonSchema } from './json-schema.ts'
import type { AjvLike, Outcome, Validator } from './validator.ts'

/** The part of an error of Ajv that is used. */
interface AjvError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: { readonly [name: string]: any }
}

type Check = ReturnType<AjvLike['compile']>

/**
 * Makes a validator that checks by Ajv, which is loaded at the first need.
 *
 * @param schema The JSON Schema
 * @param owner What it is for, for messages
 * @param given An instance of Ajv; one is made when left out
 */
export function createJsonValidator(schema: JsonSchema, owner: string, given?: AjvLike): Validator {
  let check: Check | undefined

  const compile = (ajv: AjvLike, form = schema): Check => {
    try {
      check = ajv.compile(form)
    } catch (cause) {
      throw createTypeError(
        'ALULA_INVALID_SCHEMA',
        `${owner} is not a valid JSON Schema: ${(cause as Error).message}`,
        { cause }
      )
    }

    return check
  }

  if (given) compile(given, toGuest(schema, given))

  const load = async (): Promise<Check> => check ?? compile(await loadAjv(schema, owner))
  const described = toDescription(schema, given, []) as JsonSchema

  return {
    input: described,
    output: described,
    validate: (value) => (check ? run(check, value) : load().then((loaded) => run(loaded, value))),
    load: async () => void (await load())
  }
}

/**
 * A schema for an instance that has others: validators of Feathers are async and keep their `$id`. A second schema with
 * that `$id` would be refused, and so would one that is not async and refers to them.
 */
function toGuest(schema: JsonSchema, ajv: AjvLike): JsonSchema {
  const { $id, ...others } = schema
  const isTaken = typeof $id === 'string' && ajv.getSchema?.($id) !== undefined

  return { ...(isTaken ? others : schema), $async: true }
}

/**
 * A copy without the symbols of TypeBox, where dates of TypeBox are what they are elsewhere, and with the schemas of the
 * instance that it refers to.
 */
function toDescription(schema: unknown, ajv: AjvLike | undefined, above: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((part) => toDescription(part, ajv, above))
  if (!isJsonSchema(schema)) return schema
  if (schema.type === 'Date') return DATE_SCHEMA

  const { $async: _, ...own } = schema
  const { $ref, ...others } = own
  // A schema that refers to one that holds it has no end.
  const isOutside = typeof $ref === 'string' && !$ref.startsWith('#') && !above.includes($ref)
  const target = isOutside ? ajv?.getSchema?.($ref)?.schema : undefined

  if (isOutside && isJsonSchema(target)) {
    const { $id: __, ...named } = target

    return toDescription({ ...others, ...named }, ajv, [...above, $ref])
  }

  return Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, toDescription(value, ajv, above)])
  )
}

async function loadAjv(schema: JsonSchema, owner: string): Promise<AjvLike> {
  const is2020 = String(schema.$schema ?? '').includes('2020-12')
  const module: any = await importPeer('ajv', owner, () =>
    is2020 ? import('ajv/dist/2020.js') : import('ajv')
  )
  const ajv = new (toClass(module))({ allErrors: true, strict: false, useDefaults: true })

  ajv.addKeyword({
    keyword: 'x-alula-instance',
    validate: (_: unknown, value: unknown) => value instanceof Date
  })

  if (usesFormats(schema)) {
    const formats: any = await importPeer('ajv-formats', owner, () => import('ajv-formats'))

    toClass(formats)(ajv)
  }

  // Ajv knows no type 'Date': an instance is checked by a keyword.
  return { compile: (given) => ajv.compile(replaceDates(given)) }
}

/** What `import` makes of a CommonJS module with a default export. */
function toClass(module: any): any {
  return module.default.default
}

function replaceDates(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(replaceDates)
  if (!isJsonSchema(schema)) return schema
  if (schema.type === 'Date') return { 'x-alula-instance': true }

  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, replaceDates(value)]))
}

function usesFormats(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(usesFormats)
  if (!isJsonSchema(schema)) return false

  return typeof schema.format === 'string' || Object.values(schema).some(usesFormats)
}

function run(check: Check, value: unknown): Outcome | Promise<Outcome> {
  // Ajv puts defaults into the value itself.
  const copy = copyPlain(value)
  const toFaults = (errors: readonly AjvError[]) => ({ faults: errors.map((error) => toFault(error, copy)) })
  const checked = check(copy)

  if (!isPromise(checked)) return checked ? { value: copy } : toFaults(check.errors)

  return checked.then(
    () => ({ value: copy }),
    (error: { errors?: readonly AjvError[] }) => {
      if (!error.errors) throw error

      return toFaults(error.errors)
    }
  )
}

function toFault({ keyword, instancePath, params }: AjvError, value: unknown): Fault {
  const parts = instancePath.split('/').slice(1)
  const path = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const data = path.reduce<any>((part, name) => part?.[name], value)
  const missing = params.missingProperty ?? params.additionalProperty

  if (missing !== undefined) path.push(missing)

  return { path: path.join('.'), message: toMessage(keyword, params, data) }
}

/** Messages that never contain the value; those of the schema may be shown. */
function toMessage(keyword: string, params: AjvError['params'], data: unknown): string {
  const { limit, comparison = '' } = params
  const messages: { readonly [keyword: string]: string | undefined } = {
    required: 'is required',
    additionalProperties: 'is not a known field',
    type: `expects ${toArticle(String(params.type))}, got ${toArticle(toType(data))}`,
    enum: `expects one of ${JSON.stringify(params.allowedValues)?.slice(1, -1).replaceAll(',', ', ')}`,
    const: `expects ${JSON.stringify(params.allowedValue)}`,
    minLength: `expects at least ${limit} ${limit === 1 ? 'character' : 'characters'}`,
    maxLength: `expects at most ${limit} ${limit === 1 ? 'character' : 'characters'}`,
    minimum: `expects a number ${comparison} ${limit}`,
    maximum: `expects a number ${comparison} ${limit}`,
    exclusiveMinimum: `expects a number ${comparison} ${limit}`,
    exclusiveMaximum: `expects a number ${comparison} ${limit}`,
    multipleOf: `expects a multiple of ${params.multipleOf}`,
    minItems: `expects at least ${limit} ${limit === 1 ? 'element' : 'elements'}`,
    maxItems: `expects at most ${limit} ${limit === 1 ? 'element' : 'elements'}`,
    uniqueItems: 'expects different elements',
    format: `expects the format '${params.format}'`,
    pattern: `expects the pattern ${params.pattern}`,
    'x-alula-instance': 'expects a date'
  }

  return messages[keyword] ?? 'is not valid'
}

function toType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'

  return isPlainObject(value) ? 'object' : typeof value
}

function toArticle(type: string): string {
  if (type === 'null' || type === 'undefined') return type

  return type
    .split(',')
    .map((name) => (name === 'null' ? name : `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`))
    .join(' or ')
}
