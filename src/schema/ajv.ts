import { isBase64 } from '../utils/base64.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { copyPlain, toCanonicalJson } from '../utils/object.ts'
import { rethrowMissingPeer } from '../utils/peer.ts'
import { isPromise } from '../utils/promise.ts'
import { expectOneOf, type Fault, MAX_FAULTS } from './faults.ts'
import {
  BYTES_KEYWORD,
  DATE_KEYWORD,
  DATE_SCHEMA,
  getTypes,
  hasKeyword,
  isJsonSchema,
  type JsonSchema,
  mapParts,
  toType
} from './json-schema.ts'
import { REFERENCES } from './references.ts'
import type { AjvLike, ValidationOutcome, Validator } from './validator.ts'

/** The part of an error of Ajv that is used. */
interface AjvError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: { readonly [name: string]: unknown }
}

type Check = ReturnType<AjvLike['compile']>

/** One check of a value. */
interface Run {
  /** How often a choice between schemas was made. */
  choices: number
  /** How often a reference was followed. */
  references: number
  /** How often that may be; known once it matters. */
  maxReferences?: number
  readonly value: unknown
}

/** How many choices one check of a schema that holds itself may make: the alternatives of alternatives add up. */
const MAX_CHOICES = 10_000

/** Keywords that draft-07 would ignore: the rules in them would not hold. */
const KEYWORDS_OF_2020: readonly string[] = [
  ...['prefixItems', 'minContains', 'maxContains', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['dependentRequired', 'dependentSchemas', '$dynamicRef']
]

/** Those that the draft after it does not have any more. */
const KEYWORDS_OF_2019: readonly string[] = ['$recursiveRef']

/** How many references more one check may follow for each value: a few parts of a schema may refer to others for the same. */
const REFERENCES_PER_VALUE = 20

/** Is thrown beyond that. */
const TOO_COMPLEX: unique symbol = Symbol('too complex')

/** Makes a validator that checks by Ajv, which is loaded at the first need where no instance is given. */
export function createJsonValidator(schema: JsonSchema, owner: string, given?: AjvLike): Validator {
  let check: Check | undefined

  if (!given) assertDraft(schema, owner)

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

  if (given) compile(given, toAsyncSchema(schema, given))

  const load = async (): Promise<Check> => check ?? compile(await loadAjv(schema, owner))
  const described = toDescription(schema, given, new Set()) as JsonSchema

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
function toAsyncSchema(schema: JsonSchema, ajv: AjvLike): JsonSchema {
  const { $id, ...others } = schema
  const isTaken = typeof $id === 'string' && ajv.getSchema?.($id) !== undefined

  return { ...(isTaken ? others : schema), $async: true }
}

/**
 * A copy without the symbols of TypeBox, where dates of TypeBox are what they are elsewhere, and with the schemas of the
 * instance that it refers to: each one once, because they may refer to each other.
 */
function toDescription(schema: unknown, ajv: AjvLike | undefined, known: Set<string>): unknown {
  if (Array.isArray(schema)) return schema.map((part) => toDescription(part, ajv, known))
  if (!isJsonSchema(schema)) return schema
  if (schema.type === 'Date') return DATE_SCHEMA

  const { $async: _, ...own } = schema
  const { $ref, ...others } = own
  const isOutside = typeof $ref === 'string' && !$ref.startsWith('#') && !known.has($ref)
  const target = isOutside ? ajv?.getSchema?.($ref)?.schema : undefined

  if (isOutside && isJsonSchema(target)) {
    known.add($ref)

    return toDescription({ ...others, ...target, $id: $ref }, ajv, known)
  }

  return Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, toDescription(value, ajv, known)])
  )
}

/** The part of an instance of our own that is used. */
interface OwnAjv extends AjvLike {
  addKeyword(definition: object): unknown
  removeKeyword(keyword: string): unknown
}

async function loadAjv(schema: JsonSchema, owner: string): Promise<AjvLike> {
  const Ajv = toDefault<new (options: object) => OwnAjv>(await importDraft(schema, owner))
  // Each level of a value would be checked twice as often as the one above: the first fault has to do.
  const isRecursive = hasKeyword(schema, REFERENCES) && hasKeyword(schema, ['anyOf', 'oneOf'])
  const ajv = new Ajv({
    allErrors: !isRecursive,
    passContext: true,
    strict: false,
    // JSON has no infinity, which `1e400` becomes.
    strictNumbers: true,
    // Refuses formats that nothing checks; about what else it finds it would write to the console.
    strictSchema: 'log',
    logger: false,
    useDefaults: true,
    ownProperties: true
  })

  addKeywords(ajv)
  addLimits(ajv, isRecursive)

  if (hasKeyword(schema, ['format'])) {
    const formats: unknown = await import('ajv-formats').catch(rethrowMissingPeer('ajv-formats', owner))

    toDefault<(ajv: OwnAjv) => unknown>(formats)(ajv)
  }

  // Ajv knows no type 'Date': an instance is checked by a keyword.
  return { compile: (given) => ajv.compile(toOwn(given)) }
}

/** Adds the keywords that JSON Schema lacks, and one that is checked in linear time. */
function addKeywords(ajv: OwnAjv): void {
  ajv.addKeyword({
    keyword: 'x-alula-instance',
    validate: (_: unknown, value: unknown) => value instanceof Date
  })
  ajv.addKeyword({
    keyword: BYTES_KEYWORD,
    validate: (types: readonly string[], value: unknown) =>
      value instanceof Uint8Array ||
      (typeof value === 'string' ? isBase64(value) : value === null && types.includes('null'))
  })
  // That of Ajv compares each element with each other.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isUnique: boolean, list: readonly unknown[]) =>
      !isUnique || new Set(list.map(toCanonicalJson)).size === list.length
  })
}

/** Limits what one check may cost: how often it chooses between schemas, and how often it follows references. */
function addLimits(ajv: OwnAjv, isRecursive: boolean): void {
  ajv.addKeyword({
    keyword: 'x-alula-choice',
    // After the alternatives, it would count none that is refused.
    before: 'anyOf',
    validate(this: Run) {
      this.choices++
      if (isRecursive && this.choices > MAX_CHOICES) throw TOO_COMPLEX

      return true
    }
  })
  ajv.addKeyword({
    keyword: 'x-alula-reference',
    before: '$ref',
    validate(this: Run) {
      if (++this.references <= MAX_CHOICES) return true

      this.maxReferences ??= MAX_CHOICES + REFERENCES_PER_VALUE * countValues(this.value)
      if (this.references > this.maxReferences) throw TOO_COMPLEX

      return true
    }
  })
}

/** Refuses the drafts that Ajv does not know, whose rules are written otherwise. */
function assertDraft({ $schema }: JsonSchema, owner: string): void {
  const [draft] = /draft-0[0-5]/.exec(String($schema)) ?? []

  if (draft === undefined) return

  throw createTypeError(
    'ALULA_INVALID_SCHEMA',
    `${owner} is a JSON Schema of ${draft}, which is not supported: write it as draft-07, 2019-09 or 2020-12, or pass an instance of Ajv for it as the setting 'ajv'`
  )
}

/** Imports Ajv for the draft that `$schema` names; without it, for the draft that has the keywords of the schema. */
function importDraft(schema: JsonSchema, owner: string): Promise<unknown> {
  const rethrow = rethrowMissingPeer('ajv', owner)
  const isDraft = (name: string, keywords: readonly string[]) =>
    schema.$schema === undefined ? hasKeyword(schema, keywords) : String(schema.$schema).includes(name)

  if (isDraft('2019-09', KEYWORDS_OF_2019)) return import('ajv/dist/2019.js').catch(rethrow)

  return isDraft('2020-12', KEYWORDS_OF_2020)
    ? import('ajv/dist/2020.js').catch(rethrow)
    : import('ajv').catch(rethrow)
}

/** The default export of a CommonJS module, whichever way `import` has wrapped it. */
function toDefault<Export>(module: unknown): Export {
  const { default: outer = module } = module as { readonly default?: unknown }
  const { default: inner = outer } = outer as { readonly default?: unknown }

  return inner as Export
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 1

  return Object.values(value).reduce<number>((sum, part) => sum + countValues(part), 1)
}

/** A copy for an instance of our own. */
function toOwn(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toOwn)
  if (!isJsonSchema(schema)) return schema
  if (schema.type === 'Date') return { 'x-alula-instance': true }
  if (schema[BYTES_KEYWORD] === true) {
    const { type: _, ...others } = schema

    // Bytes have no type in JSON.
    return guardLength({ ...others, [BYTES_KEYWORD]: getTypes(schema) })
  }

  const { [DATE_KEYWORD]: isDate, ...day } = schema

  // JSON has a string for the day of a column; code may have a date.
  if (isDate && day.format === 'date') return { anyOf: [toOwn(day), { 'x-alula-instance': true }] }

  const isChoice = Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)
  const isReference = REFERENCES.some((keyword) => typeof schema[keyword] === 'string')

  return guardLength({
    ...(isChoice && { 'x-alula-choice': true }),
    ...(isReference && { 'x-alula-reference': true }),
    ...mapParts(schema, toOwn)
  })
}

/** A pattern may take long for a long text, and Ajv tests it even where the text is too long. */
function guardLength({ pattern, format, ...schema }: JsonSchema): JsonSchema {
  const { maxLength, allOf } = schema
  const slow = { ...(pattern !== undefined && { pattern }), ...(format !== undefined && { format }) }

  if (typeof maxLength !== 'number') return { ...schema, ...slow }

  return {
    ...schema,
    allOf: [...(Array.isArray(allOf) ? allOf : []), { if: { maxLength }, then: slow }]
  }
}

function run(check: Check, value: unknown): ValidationOutcome | Promise<ValidationOutcome> {
  // Ajv puts defaults into the value itself.
  const copy = copyPlain(value)
  const toFaults = (errors: readonly AjvError[]) => ({
    // That a condition does not hold tells less than what does not hold under it.
    faults: errors
      .filter(({ keyword }) => keyword !== 'if')
      .slice(0, MAX_FAULTS)
      .map((error) => toFault(error, copy))
  })
  const checked = start(check, copy)

  if (checked === TOO_COMPLEX) return { faults: [{ path: '', message: 'is too complex' }] }
  if (!isPromise(checked)) return checked ? { value: copy } : toFaults(check.errors)

  return Promise.resolve(checked).then(
    () => ({ value: copy }),
    (error: { errors?: readonly AjvError[] }) => {
      if (!error.errors) throw error

      return toFaults(error.errors)
    }
  )
}

function start(check: Check, value: unknown): ReturnType<Check> | typeof TOO_COMPLEX {
  try {
    return check.call({ choices: 0, references: 0, value } satisfies Run, value)
  } catch (error) {
    if (error === TOO_COMPLEX) return TOO_COMPLEX
    throw error
  }
}

function toFault({ keyword, instancePath, params }: AjvError, value: unknown): Fault {
  const parts = instancePath.split('/').slice(1)
  const path = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const data = path.reduce<unknown>((part, name) => (part as JsonSchema | undefined)?.[name], value)
  const missing = params.missingProperty ?? params.additionalProperty

  if (missing !== undefined) path.push(String(missing))

  return { path: path.join('.'), message: toMessage(keyword, params, data) }
}

/** Messages that never contain the value; those of the schema may be shown. */
function toMessage(keyword: string, params: AjvError['params'], data: unknown): string {
  const { limit, comparison = '' } = params
  const messages: { readonly [keyword: string]: string | undefined } = {
    required: 'is required',
    additionalProperties: 'is not a known field',
    type: `expects ${toArticle(String(params.type))}, got ${toGot(data)}`,
    enum: expectOneOf([params.allowedValues].flat()),
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
    'x-alula-instance': 'expects a date',
    [BYTES_KEYWORD]: 'expects bytes as base64'
  }

  return messages[keyword] ?? 'is not valid'
}

function toGot(value: unknown): string {
  // JSON has larger numbers than JavaScript: `1e400`.
  return value === Infinity || value === -Infinity ? 'a number that is too large' : toArticle(toType(value))
}

function toArticle(type: string): string {
  if (type === 'null' || type === 'undefined') return type

  return type
    .split(',')
    .map((name) => (name === 'null' ? name : `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`))
    .join(' or ')
}
