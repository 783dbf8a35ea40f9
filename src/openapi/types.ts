import type { JsonSchema } from '../schema/json-schema.ts'

/** What a document says of the API as a whole. */
export interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly [name: string]: unknown
}

/** Where the API is reached. */
export interface OpenApiServer {
  /** The address of the services, with the prefix of the transport. */
  readonly url: string
  readonly [name: string]: unknown
}

/** What {@link toOpenApi} does not find in the application. */
export interface OpenApiOptions {
  /** The title and the version of the API, and what else `info` of a document has. */
  readonly info?: OpenApiInfo
  /** The addresses of the API. When left out, it is `.`: the folder of the document, such as that of a sub-application. */
  readonly servers?: readonly OpenApiServer[]
}

/** A document of OpenAPI 3.1. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: OpenApiInfo
  readonly servers: readonly OpenApiServer[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: { readonly [path: string]: OpenApiPath }
  readonly components: {
    readonly schemas: { readonly [name: string]: JsonSchema }
    readonly responses: { readonly [name: string]: OpenApiResponse }
    readonly securitySchemes: { readonly [name: string]: OpenApiSecurityScheme }
  }
}

/** How credentials are sent. */
export type OpenApiSecurityScheme =
  | { readonly type: 'http'; readonly scheme: string }
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string }

/** The operations of a path, by verb in lower case. */
export interface OpenApiPath {
  readonly [verb: string]: OpenApiOperation
}

/** One call. */
export interface OpenApiOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  /** The method of the service, and who may call it, in words. */
  readonly summary: string
  readonly security: readonly OpenApiSecurity[]
  readonly parameters?: readonly OpenApiParameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent }
  readonly responses: { readonly [status: string]: OpenApiResponse | OpenApiReference }
  /**
   * Of `find`: the types of a query that the path takes as the body of a `QUERY` (RFC 10008), with the names of the parameters.
   * OpenAPI 3.1 has no place for the verb.
   */
  readonly 'x-query'?: readonly string[]
}

/** Credentials that are enough together; none for `{}`. */
export interface OpenApiSecurity {
  readonly [scheme: string]: readonly string[]
}

/** A part of the path or of the query string, or a header. */
export interface OpenApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description?: string
  readonly required?: boolean
  readonly style?: 'form' | 'deepObject'
  readonly explode?: boolean
  readonly schema: JsonSchema
}

/** A response to a call. */
export interface OpenApiResponse {
  readonly description: string
  readonly content?: OpenApiContent
}

/** A place elsewhere in the document. */
export interface OpenApiReference {
  readonly $ref: string
}

/** A body by its media type. */
export interface OpenApiContent {
  readonly [type: string]: {
    readonly schema: JsonSchema
    /** Of a form: how fields are written, by their name. */
    readonly encoding?: { readonly [name: string]: OpenApiEncoding }
  }
}

/** How a field of a form is written. */
export interface OpenApiEncoding {
  readonly style: 'deepObject'
  readonly explode: true
}
