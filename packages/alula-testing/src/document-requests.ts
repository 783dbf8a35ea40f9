// Requests that are made from nothing but a document.
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from 'alula/openapi'
import { setOwn } from 'alula/plugin'
import type { JsonSchema } from 'alula/schema'
import { isObject } from './check.ts'
import type { Validators } from './document-validators.ts'
import { pick, type Random, toDamaged, toRandomValue } from './random-values.ts'

/** An operation, and where it is. */
export interface Operation extends OpenApiOperation {
  /** The verb, in capitals. */
  readonly verb: string
  /** The path with the names of its placeholders in braces. */
  readonly path: string
}

/** Values by the names of the placeholders of a path, for example those of a record that is there. */
export interface PathValues {
  readonly [placeholder: string]: unknown
}

/** A request, and whether the document allows it. */
export interface DocumentRequest {
  readonly verb: string
  /** What is in place of the placeholders. */
  readonly values: PathValues
  /** The path and the query string. */
  readonly url: string
  /** The body; `undefined` for none. */
  readonly body: string | undefined
  readonly isValid: boolean
}

/** How often a valid value is tried for. */
const MAX_TRIES = 30

/** The operations of a document whose responses end: not those of streams of events. */
export function listOperations({ paths }: OpenApiDocument): readonly Operation[] {
  return Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([verb, operation]) => {
        // A mounted function may describe itself without these.
        const { operationId = `${verb} ${path}`, tags = [] } = operation as Partial<OpenApiOperation>

        return { ...operation, operationId, tags, verb: verb.toUpperCase(), path }
      })
    )
    .filter(({ responses }) => !isStream(responses))
}

function isStream(responses: OpenApiOperation['responses']): boolean {
  return Object.values(responses).some(
    (response) => 'content' in response && response.content && 'text/event-stream' in response.content
  )
}

/** Makes requests for one operation. */
export class RequestMaker {
  private readonly operation: Operation
  private readonly document: OpenApiDocument
  private readonly validators: Validators
  private readonly random: Random

  constructor(operation: Operation, document: OpenApiDocument, validators: Validators, random: Random) {
    this.operation = operation
    this.document = document
    this.validators = validators
    this.random = random
  }

  /**
   * A request that the document allows; `undefined` where none is found, for instance because of a pattern. `known` are values
   * that its placeholders may have together.
   */
  valid(known: readonly PathValues[]): DocumentRequest | undefined {
    const address = this.toAddress(known)
    const body = this.toBody()

    return address === undefined || body === INVENTED ? undefined : this.toRequest(address, body, true)
  }

  /**
   * A request for a record: without a query that it can do without; `undefined` where none is found. `values` are in place of
   * the placeholders; `given` is the body, or the query of an operation without one; a body is made up where it is left out.
   */
  reaching(values: PathValues, given?: unknown): DocumentRequest | undefined {
    const { parameters = [], requestBody } = this.operation
    const required = parameters.filter(({ in: place, required }) => place === 'query' && required)
    const isQuery = given !== undefined && !requestBody
    const address = this.fill(values, isQuery ? [] : required)
    const body = isQuery ? undefined : (given ?? this.toBody())

    if (address === undefined || body === INVENTED) return undefined

    return this.toRequest(isQuery ? withQuery(address, given) : address, body, true)
  }

  /** What is wrong with a body that was given, as the document has it. */
  findFault(given: unknown): string | undefined {
    const { requestBody } = this.operation

    return requestBody && this.validators.findFault(getSchema(requestBody), given)
  }

  /**
   * A request that the document does not allow; `undefined` where none is found: it may allow everything. `known` are values
   * that its placeholders may have together.
   */
  damaged(known: readonly PathValues[]): DocumentRequest | undefined {
    const { parameters = [], requestBody } = this.operation
    const schema = requestBody && getSchema(requestBody)
    const queries = parameters.filter(({ in: place }) => place === 'query')

    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (schema && (queries.length === 0 || this.random() < 0.7)) {
        const body = toDamaged(toRandomValue(schema, this.root, this.random), this.random)
        const address = this.toAddress(known, [])

        if (address !== undefined && this.isWrong(schema, body)) return this.toRequest(address, body, false)
      } else if (queries.length > 0) {
        const [name, value] = this.toWrongQuery(pick(this.random, queries))
        const address = this.toAddress(known, [])
        const body = this.toBody()

        if (name !== undefined && address !== undefined && body !== INVENTED) {
          const query = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`

          return this.toRequest({ ...address, url: `${address.url}?${query}` }, body, false)
        }
      }
    }

    return undefined
  }

  /** A class also gets lists of records, of which the document does not tell. */
  private isWrong(schema: JsonSchema, body: unknown): boolean {
    const isValid = (value: unknown) => this.validators.isValid(schema, value)

    return !isValid(body) && !(Array.isArray(body) && body.every(isValid))
  }

  private get root(): JsonSchema {
    return this.document as object as JsonSchema
  }

  private toRequest(address: Address, body: unknown, isValid: boolean): DocumentRequest {
    const { verb } = this.operation

    return { verb, ...address, body: body === undefined ? undefined : JSON.stringify(body), isValid }
  }

  /** A body that is valid; {@link INVENTED} where none was found. */
  private toBody(): unknown {
    const { requestBody } = this.operation

    if (!requestBody || (!requestBody.required && this.random() < 0.5)) return undefined

    return this.toValid(getSchema(requestBody)) ?? INVENTED
  }

  private toValid(schema: JsonSchema): unknown {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const value = toRandomValue(schema, this.root, this.random)

      if (this.validators.isValid(schema, value)) return value
    }

    return undefined
  }

  private toAddress(known: readonly PathValues[], asked = this.pickQuery()): Address | undefined {
    const isKnown = known.length > 0 && this.random() < 0.7

    return this.fill(isKnown ? pick(this.random, known) : {}, asked)
  }

  /** Placeholders without a value have one that is made up. */
  private fill(known: PathValues, asked: readonly OpenApiParameter[]): Address | undefined {
    const { path, parameters = [] } = this.operation
    const values: { [placeholder: string]: unknown } = {}
    let url = path

    for (const { name, schema } of parameters.filter(({ in: place }) => place === 'path')) {
      const value = Object.hasOwn(known, name) ? known[name] : this.toSegment(schema)

      if (value === undefined) return undefined

      setOwn(values, name, value)
      url = url.replace(`{${name}}`, encodeURIComponent(String(value)))
    }

    const query: string[] = []

    for (const parameter of asked) {
      const value = this.toValid(parameter.schema)
      const pairs = value === undefined ? [] : toPairs(parameter, value)

      if (parameter.required && pairs.length === 0) return undefined

      query.push(...pairs)
    }

    return { url: query.length > 0 ? `${url}?${query.join('&')}` : url, values }
  }

  /** URLs resolve dots. */
  private toSegment(schema: JsonSchema): unknown {
    const value = this.toValid(schema)

    return /^\.{1,2}$/.test(String(value)) ? undefined : value
  }

  private pickQuery(): readonly OpenApiParameter[] {
    const { parameters = [] } = this.operation
    const queries = parameters.filter(({ in: place }) => place === 'query')

    return queries.filter(({ required }) => required || this.random() < 1.5 / queries.length)
  }

  /** A value of a parameter that is a string, and cannot be what it is for. */
  private toWrongQuery({ name, style, schema }: OpenApiParameter): readonly [string | undefined, string] {
    const wrong = pick(this.random, ['maybe', 'x', '1e999', '[object Object]', '-'])
    const isAllowed = (value: unknown) => this.validators.isValid(schema, value)

    if (schema.type === 'array') return [isAllowed([wrong]) ? undefined : name, wrong]
    if (isAllowed(wrong)) return [undefined, wrong]
    if (style === 'deepObject' && this.random() < 0.5) {
      const key = pick(this.random, ['$gt', '$regex', '$where', 'undeclared'])

      return [isAllowed({ [key]: wrong }) ? undefined : `${name}[${key}]`, wrong]
    }

    return [name, wrong]
  }
}

/** Where a request goes. */
type Address = Pick<DocumentRequest, 'url' | 'values'>

function withQuery({ url, values }: Address, query: unknown): Address {
  const pairs = Object.entries(Object(query)).flatMap(([name, value]) => toPairs({ name }, value))

  return { url: `${url}?${pairs.join('&')}`, values }
}

/** Stands for a body that could not be made. */
const INVENTED: unique symbol = Symbol('no body')

function getSchema({ content }: NonNullable<OpenApiOperation['requestBody']>): JsonSchema {
  return content['application/json']?.schema ?? {}
}

/** A parameter as its style has it in a query string. */
function toPairs(
  { name, style }: Pick<OpenApiParameter, 'name' | 'style'>,
  value: unknown
): readonly string[] {
  const toPair = (key: string, one: unknown) =>
    `${encodeURIComponent(key)}=${encodeURIComponent(String(one))}`

  if (Array.isArray(value)) return value.map((one) => toPair(name, one))
  if (style === 'deepObject' && isObject(value)) {
    return Object.entries(value).map(([key, one]) => toPair(`${name}[${key}]`, one))
  }

  return [toPair(name, value)]
}
