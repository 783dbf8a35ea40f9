// A document keeps the words of a schema: its titles, choices and references. A shape has only what they mean, so that this
// is a walk of its own.
import { HiddenFields } from '../schema/hidden.ts'
import {
  describesObject,
  getProperties,
  getTypes,
  hasKeyword,
  isJsonSchema,
  type JsonSchema,
  LENIENT_KEYWORD
} from '../schema/json-schema.ts'
import { getReference, toTarget } from '../schema/references.ts'
import { createShapes, mayBeObject, type ToShape } from '../schema/shape.ts'
import { isObject } from '../utils/check.ts'
import { findPath, isEmpty, setOwn } from '../utils/object.ts'
import { extend, inlineReference } from './inlined.ts'
import { toPascal } from './names.ts'
import { listTried } from './tried.ts'

/** Where the schemas of a document are kept. */
export interface SchemaStore {
  /**
   * Keeps a schema under a free name, and returns the reference to it. `toSchema` gets the reference, because the schema may
   * refer to itself.
   */
  add(name: string, toSchema: (reference: JsonSchema) => JsonSchema): JsonSchema
}

/** How a schema of an application becomes one of a document. */
export interface ConvertRules {
  /** The name of the schema, which those that it refers to begin with. */
  readonly name: string
  readonly store: SchemaStore
  /** The reference to the schema itself, for a schema that refers to itself. */
  readonly self?: JsonSchema
  /** The paths of fields that are left out. */
  readonly hidden?: readonly string[]
  /** The paths of fields that are left out of every object in it. */
  readonly hiddenEverywhere?: readonly string[]
  /** The paths of fields that are not always there. */
  readonly optional?: readonly string[]
  /** Whether it is a record: what it is one of is written in its place, because fields are added to it. */
  readonly isRecord?: boolean
  /** Whether it describes what clients get: a field with a default is always there then, and need not be sent otherwise. */
  readonly isOutput: boolean
  /** Whether an object has no other fields than those that its schema declares. */
  readonly isClosed: boolean
  /** Whether fields at the top may be there that the schema does not declare. */
  readonly keepsExtra?: boolean
  /** Is told the path of a field that cannot be described. */
  readonly onUnknown: (path: string) => void
}

/** What is too small to have schemas of its own, such as a parameter: what it refers to is anything. */
export const INLINE: ConvertRules = {
  name: '',
  store: { add: () => ({}) },
  isOutput: false,
  isClosed: false,
  onUnknown: () => undefined
}

/** What is copied of a keyword: its value as it is, the schema, or the schemas in a list of them. */
type KeywordKind = 'plain' | 'single' | 'list'

const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map([
  ...toEntries('plain', [
    ...['title', 'description', 'deprecated', 'format', 'contentEncoding', 'contentMediaType'],
    ...['pattern', 'minLength', 'maxLength'],
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
    ...[
      'minItems',
      'maxItems',
      'uniqueItems',
      'minContains',
      'maxContains',
      'minProperties',
      'maxProperties'
    ],
    ...['enum', 'const', 'examples', 'dependentRequired', 'readOnly', 'writeOnly']
  ]),
  ...toEntries('single', ['items', 'contains', 'not', 'if', 'then', 'else', 'propertyNames']),
  ...toEntries('list', ['allOf', 'anyOf', 'oneOf', 'prefixItems'])
])

/** Keywords with values, which may be objects in lists, choices and the like. */
const VALUES: readonly string[] = ['examples', 'enum', 'const']

/** Keywords of an object that may mention a field beside `properties`. */
const TELLTALE: readonly string[] = [
  ...VALUES,
  ...['dependentRequired', 'not', 'if', 'then', 'else'],
  ...['minProperties', 'maxProperties', 'propertyNames']
]

const TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/**
 * Converts a schema for a document: without what only the library of the schema knows, without values that are put in
 * for missing fields (generated clients would demand those), and without what is hidden.
 */
export function convertSchema(root: JsonSchema, rules: ConvertRules): JsonSchema {
  return new Converter(root, rules).convert()
}

/** The conversion of one schema. */
class Converter {
  private readonly root: JsonSchema
  private readonly rules: ConvertRules
  private readonly hiddenEverywhere: readonly string[]
  private readonly optional: readonly string[]
  private readonly hiddenFields: HiddenFields
  private readonly toShape: ToShape
  private readonly references: Map<JsonSchema, JsonSchema>
  /** The schemas that no values are put in by; known once there is a value. */
  private tried: Set<JsonSchema> | undefined
  /** The references that are being replaced by what they lead to, which may hold them. */
  private readonly inlined = new Set<JsonSchema>()
  /** Objects that are parts of one do not know the fields of each other. */
  private readonly isClosed: boolean
  /** Those of the schema, and those of schemas in it that hold themselves. */
  private hidden: readonly string[]

  constructor(root: JsonSchema, rules: ConvertRules) {
    const { self = {}, hidden = [], hiddenEverywhere = [], optional = [], isClosed } = rules

    this.root = root
    this.rules = rules
    this.hidden = hidden
    this.hiddenEverywhere = hiddenEverywhere
    this.optional = optional
    this.hiddenFields = new HiddenFields(hidden, root)
    this.toShape = createShapes(root)
    this.references = new Map([[root, self]])
    this.isClosed = isClosed && !hasKeyword(root, ['allOf'])
  }

  convert(): JsonSchema {
    return this.copy(inlineReference(this.root), '', true)
  }

  private copy(schema: unknown, path: string, mayClose: boolean): JsonSchema {
    if (schema === false) return { not: {} }
    if (!isJsonSchema(schema)) return {}
    if (getReference(schema) !== undefined) return this.copyReference(schema, path, mayClose)

    const type = toType(schema)

    if (!isKnownType(type)) {
      this.rules.onUnknown(path)

      return {}
    }

    const converted: Writable = {}
    const isObject = describesObject(schema)
    const hides = this.hiddenEverywhere.length > 0 || hasWithin(this.hidden, path)

    if (type !== undefined) converted.type = type
    if (schema[LENIENT_KEYWORD] === true && !this.rules.isOutput) converted['x-lenient'] = true

    for (const keyword in schema) {
      const kind = KEYWORDS.get(keyword)

      if (kind && !(hides && tells(keyword, schema[keyword], isObject))) {
        this.copyKeyword(converted, keyword, kind, schema, path, mayClose)
      }
    }
    if (!isObject) {
      // A choice between fields that have to be there says nothing else.
      this.copyRequired(converted, schema, toPrefix(path))

      return toCommonForm(converted)
    }

    this.copyObject(converted, schema, path, mayClose)

    return converted
  }

  private isHidden(path: string): boolean {
    return this.hidden.includes(path) || this.hiddenEverywhere.some((one) => `.${path}`.endsWith(`.${one}`))
  }

  private copyReference(schema: JsonSchema, path: string, mayClose: boolean): JsonSchema {
    const target = toTarget(schema, this.root)

    if (!target) {
      this.rules.onUnknown(path)

      return {}
    }

    const known = this.references.get(target)
    const within = this.hiddenFields.listWithin(this.toShape(target))
    const isOther = target !== this.root
    const isKind = path === '' && this.rules.isRecord && isOther
    const mayDiffer = isOther && within.length === 0
    // A field of it is optional here, and perhaps not elsewhere.
    const differs = mayDiffer && hasWithin(this.optional, path)
    const declaresFields = schema.properties !== undefined || schema.required !== undefined

    if ((isKind || declaresFields || differs) && !this.inlined.has(schema)) {
      this.hide(within, path)
      this.inlined.add(schema)

      const copied = this.copy(this.extend(target, schema), path, mayClose)

      this.inlined.delete(schema)

      return copied
    }

    // A field of it is hidden here, and perhaps not elsewhere. One that holds itself has it in `within`.
    if (mayDiffer && hasWithin(this.hidden, path)) {
      return this.copy(this.extend(target, schema), path, mayClose)
    }
    if (known) return known

    this.hide(within, path)

    const name = getReference(schema)?.split('/').at(-1) ?? ''

    return this.rules.store.add(`${this.rules.name}${toPascal(name)}`, (reference) => {
      this.references.set(target, reference)

      return this.copy(target, path, true)
    })
  }

  private extend(target: JsonSchema, reference: JsonSchema): JsonSchema {
    const extended = extend(target, reference)

    if (this.listTried().has(reference)) this.listTried().add(extended)

    return extended
  }

  private listTried(): Set<JsonSchema> {
    this.tried ??= listTried(this.root)

    return this.tried
  }

  /** What is hidden in a schema that holds itself is hidden on each of its levels. */
  private hide(within: readonly string[], path: string): void {
    this.hidden = [...this.hidden, ...within.map((one) => toPrefix(path) + one)]
  }

  private copyKeyword(
    converted: Writable,
    keyword: string,
    kind: KeywordKind,
    schema: JsonSchema,
    path: string,
    mayClose: boolean
  ): void {
    const value = schema[keyword]

    if (kind === 'plain') {
      if (isPlain(value)) converted[keyword] = value
    } else if (keyword === 'items' && Array.isArray(value)) {
      // The form of older drafts.
      converted.prefixItems = value.map((one) => this.copy(one, path, mayClose))
    } else if (kind === 'single') {
      converted[keyword] =
        typeof value === 'boolean' ? value : this.copy(value, path, keyword === 'items' && mayClose)
    } else if (Array.isArray(value)) {
      // A field is known when one of several shapes has it, or what they are beside.
      const isShape =
        keyword === 'prefixItems' ||
        (schema.properties === undefined && value.filter((one) => this.mayBeObject(one)).length < 2)
      const copied = value.map((one) => this.copy(one, path, mayClose && isShape))

      // With a part that says nothing, because of what is hidden in it or cannot be described, others match as well.
      converted[keyword === 'oneOf' && copied.some(isEmpty) ? 'anyOf' : keyword] = copied
    }
  }

  private mayBeObject(schema: unknown): boolean {
    return isJsonSchema(schema) && this.toShape(schema).alternatives.some(mayBeObject)
  }

  private copyObject(converted: Writable, schema: JsonSchema, path: string, mayClose: boolean): void {
    const { properties, additionalProperties, patternProperties } = schema
    const prefix = toPrefix(path)

    this.copyRequired(converted, schema, prefix)
    if (isJsonSchema(properties)) converted.properties = this.copyAll(properties, prefix)
    if (isJsonSchema(patternProperties)) converted.patternProperties = this.copyAll(patternProperties, prefix)
    if (path === '' && this.rules.keepsExtra) return

    if (isJsonSchema(additionalProperties)) {
      converted.additionalProperties = this.copy(additionalProperties, `${prefix}*`, true)
    } else if (additionalProperties === false && this.rules.isOutput && !this.isClosed) {
      // Zod says so of each part of an intersection, of which it does not hold.
    } else if (additionalProperties !== undefined) {
      converted.additionalProperties = additionalProperties
    } else if (mayClose && isJsonSchema(properties) && this.isClosed && !this.hasMore(schema)) {
      converted.additionalProperties = false
    }
  }

  /** Whether an object has fields that are declared beside its properties: in what it is one of. */
  private hasMore(schema: JsonSchema): boolean {
    const isOneOf = schema.anyOf !== undefined || schema.oneOf !== undefined

    return isOneOf && this.toShape(schema).object.names.size > getProperties(schema).size
  }

  private copyRequired(converted: Writable, schema: JsonSchema, prefix: string): void {
    const required = this.listRequired(schema, prefix)

    if (required.length > 0) converted.required = required
  }

  private copyAll(parts: JsonSchema, prefix: string): JsonSchema {
    const copied: Writable = {}

    for (const name in parts) {
      const path = prefix + name

      if (!this.isHidden(path)) setOwn(copied, name, this.copy(parts[name], path, true))
    }

    return copied
  }

  private listRequired(schema: JsonSchema, prefix: string): readonly string[] {
    const { required, properties } = schema
    const declared: readonly string[] = Array.isArray(required) ? required : []
    const fields = isJsonSchema(properties) ? properties : {}
    const found = listDefaulted(fields)
    const defaulted = found.length > 0 && this.listTried().has(schema) ? [] : found
    const names = this.rules.isOutput
      ? declared.concat(defaulted.filter((name) => !declared.includes(name)))
      : declared.filter((name) => !defaulted.includes(name))

    return names.filter((name) => !this.isHidden(prefix + name) && !this.optional.includes(prefix + name))
  }
}

/** Whether one of the paths is that of a field of an object, or of one further in. */
function hasWithin(paths: readonly string[], path: string): boolean {
  return paths.length > 0 && paths.some((one) => one.startsWith(toPrefix(path)))
}

/** The fields that a value is put in for where they are missing. */
function listDefaulted(fields: JsonSchema): readonly string[] {
  return Object.keys(fields).filter((name) => (fields[name] as JsonSchema | undefined)?.default !== undefined)
}

/** Whether a keyword may tell of a field that is hidden. */
function tells(keyword: string, value: unknown, isOfObject: boolean): boolean {
  return isOfObject ? TELLTALE.includes(keyword) : VALUES.includes(keyword) && holdsObject(value)
}

/** Whether a value is an object, or holds one, which may have hidden fields. */
export function holdsObject(value: unknown): boolean {
  return findPath([value], isObject) !== undefined
}

/** A schema that is being made. */
interface Writable {
  [keyword: string]: unknown
}

/** Libraries write the same in different words: a list of constants, a value or null. */
function toCommonForm(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.enum) && schema.type === undefined) {
    const [type, ...more] = new Set(schema.enum.map((value) => (value === null ? 'null' : typeof value)))

    return type === 'string' && more.length === 0 ? { type, ...schema } : schema
  }
  if (!Array.isArray(schema.anyOf)) return schema

  const { anyOf, ...others } = schema as JsonSchema & { readonly anyOf: readonly JsonSchema[] }

  if (anyOf.every((part) => typeof part.const === 'string')) {
    return { type: 'string', ...others, enum: anyOf.map((part) => part.const) }
  }
  if (anyOf.length !== 2 || !anyOf.some(isNull)) return schema

  const [first, second] = anyOf as readonly [JsonSchema, JsonSchema]
  const only = isNull(second) ? first : second
  const mayRefuseNull = OF_ANY_TYPE.some((keyword) => Object.hasOwn(only, keyword))

  return typeof only.type === 'string' && !mayRefuseNull
    ? Object.assign({}, others, only, { type: [only.type, 'null'] })
    : schema
}

/** Keywords that are about values of every type, so that they may refuse null. */
const OF_ANY_TYPE: readonly string[] = ['enum', 'const', 'not', 'if', 'allOf', 'anyOf', 'oneOf']

function isNull(schema: JsonSchema): boolean {
  return schema.type === 'null' && Object.keys(schema).length === 1
}

/** Whether a schema says nothing of what it describes. */
export function isUndescribed(schema: JsonSchema): boolean {
  return Object.keys(schema).every((keyword) => DESCRIPTIVE.includes(keyword))
}

const DESCRIPTIVE: readonly string[] = ['title', 'description', 'readOnly']

function toPrefix(path: string): string {
  return path === '' ? '' : `${path}.`
}

function toType(schema: JsonSchema): unknown {
  const { type, nullable } = schema
  const types = nullable === true && type !== undefined ? getTypes(schema) : type

  return Array.isArray(types) && types.length === 1 ? types[0] : types
}

function isKnownType(type: unknown): boolean {
  if (Array.isArray(type)) return type.every((one) => TYPES.includes(one))

  return type === undefined || TYPES.includes(type as string)
}

/** Libraries keep functions, and numbers that JSON does not have, in their descriptions. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (Array.isArray(value)) return value.every(isPlain)

  return typeof value === 'object' && Object.values(value).every(isPlain)
}

function toEntries(kind: KeywordKind, keywords: readonly string[]): readonly [string, KeywordKind][] {
  return keywords.map((keyword) => [keyword, kind])
}
