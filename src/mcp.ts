export { mcp } from './mcp/configure.ts'
export type { McpIssuer, McpOptions } from './mcp/options.ts'
export type { McpCall } from './mcp/params.ts'
