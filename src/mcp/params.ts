declare module '../core/types.ts' {
  interface Params {
    /** Which client of MCP has made the call; there with the `provider` `mcp`. */
    mcp?: McpCall
  }
}

/** Which client of MCP has made a call, for audits. */
export interface McpCall {
  /** What the client says that it is; missing for a client of the era before 2026-07-28, which says so at its start alone. */
  readonly client?: { readonly name: string; readonly version: string }
  /** The client that the token was made for, as its issuer says; missing for tokens of the application itself. */
  readonly clientId?: string
  /** `_meta.idempotencyKey` of its request, as it was sent: with `alula/idempotency`, the key of the call. */
  readonly idempotencyKey?: unknown
}
