// Requests that are made from nothing but a document.
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from 'alula/openapi'
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

/** A request, and whether the document allows it. */
export interface DocumentRequest {
  readonly verb: string
  /** The path and the query string. */
  readonly url: string
  /** The body; `undefined` for none. */
  readonly body: string | undefined
  readonly isValid: boolean
}

/** How often a valid value is tried for. */
const MAX_TRIES = 30

/**
 * The operations of a document.
 *
 * @param document The document
 */
export function listOperations({ paths }: OpenApiDocument): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => ({ ...operation, verb: verb.toUpperCase(), path }))
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
   * A request that the document allows.
   *
   * @param ids Values that placeholders may have, for example ids of records that there are
   * @returns `undefined` where none is found, for instance because of a pattern
   */
  valid(ids: readonly unknown[]): DocumentRequest | undefined {
    const url = this.toUrl(ids)
    const body = this.toBody()

    return url === undefined || body === INVENTED ? undefined : this.toRequest(url, body, true)
  }

  /**
   * A request that the document does not allow.
   *
   * @param ids Values that placeholders may have
   * @returns `undefined` where none is found: it may allow everything
   */
  damaged(ids: readonly unknown[]): DocumentRequest | undefined {
    const { parameters = [], requestBody } = this.operation
    const schema = requestBody && getSchema(requestBody)
    const queries = parameters.filter(({ in: place }) => place === 'query')

    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (schema && (queries.length === 0 || this.random() < 0.7)) {
        const body = toDamaged(toRandomValue(schema, this.root, this.random), this.random)
        const url = this.toUrl(ids, [])

        if (url !== undefined && !this.validators.isValid(schema, body))
          return this.toRequest(url, body, false)
      } else if (queries.length > 0) {
        const [name, value] = this.toWrongQuery(pick(this.random, queries))
        const url = this.toUrl(ids, [])
        const body = this.toBody()

        if (name !== undefined && url !== undefined && body !== INVENTED) {
          return this.toRequest(
            `${url}?${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
            body,
            false
          )
        }
      }
    }

    return undefined
  }

  private get root(): JsonSchema {
    return this.document as object as JsonSchema
  }

  private toRequest(url: string, body: unknown, isValid: boolean): DocumentRequest {
    const { verb } = this.operation

    return { verb, url, body: body === undefined ? undefined : JSON.stringify(body), isValid }
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

  private toUrl(ids: readonly unknown[], asked = this.pickQuery()): string | undefined {
    const { path, parameters = [] } = this.operation
    const ofPath = parameters.filter(({ in: place }) => place === 'path')
    let url = path

    for (const { name, schema } of ofPath) {
      const isLast = name === ofPath.at(-1)?.name
      const value =
        isLast && ids.length > 0 && this.random() < 0.7 ? pick(this.random, ids) : this.toSegment(schema)

      if (value === undefined) return undefined

      url = url.replace(`{${name}}`, encodeURIComponent(String(value)))
    }

    const query: string[] = []

    for (const parameter of asked) {
      const value = this.toValid(parameter.schema)
      const pairs = value === undefined ? [] : toPairs(parameter, value)

      if (parameter.required && pairs.length === 0) return undefined

      query.push(...pairs)
    }

    return query.length > 0 ? `${url}?${query.join('&')}` : url
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

/** Stands for a body that could not be made. */
const INVENTED: unique symbol = Symbol('no body')

function getSchema({ content }: NonNullable<OpenApiOperation['requestBody']>): JsonSchema {
  return content['application/json']?.schema ?? {}
}

/** A parameter as its style has it in a query string. */
function toPairs({ name, style }: OpenApiParameter, value: unknown): readonly string[] {
  const toPair = (key: string, one: unknown) =>
    `${encodeURIComponent(key)}=${encodeURIComponent(String(one))}`

  if (Array.isArray(value)) return value.map((one) => toPair(name, one))
  if (style === 'deepObject' && isObject(value)) {
    return Object.entries(value).map(([key, one]) => toPair(`${name}[${key}]`, one))
  }

  return [toPair(name, value)]
}
