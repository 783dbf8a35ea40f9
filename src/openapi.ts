export { toOpenApi } from './openapi/document.ts'
export type { PageName } from './openapi/pages.ts'
export { openapi, type ServeOptions } from './openapi/serve.ts'
export type {
  OpenApiContent,
  OpenApiDocument,
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
