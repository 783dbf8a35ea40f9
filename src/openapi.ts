export { toOpenApi } from './openapi/document.ts'
export { openapi, type PageName, type ServeOptions } from './openapi/serve.ts'
export type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiEncoding,
  OpenApiInfo,
  OpenApiOperation,
  OpenApiOptions,
  OpenApiParameter,
  OpenApiPath,
  OpenApiReference,
  OpenApiResponse,
  OpenApiSecurity,
  OpenApiSecurityScheme,
  OpenApiServer
} from './openapi/types.ts'
