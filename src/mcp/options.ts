import type { TokenIssuer } from '../authentication/issuers.ts'
import { isBoolean, isString, isStringList } from '../utils/check.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { isSafeUrl } from '../utils/url.ts'

/** Whose tokens clients of MCP have: as the option `issuers` of the strategy `jwt`, with an audience of its own. */
export interface McpIssuer extends Omit<TokenIssuer, 'audience'> {
  /** `aud`: one of these names has to be in a token; `resource` when left out. With the one of the API, its tokens count too. */
  audience?: string | string[]
}

/** The options of `mcp`. */
export interface McpOptions {
  /** The URL of the endpoint as clients know it, such as `https://api.example.org/mcp`. Tokens of clients are made for it. */
  readonly resource: string
  /** The path of the endpoint; `/mcp` when left out. */
  readonly path?: string
  /** What clients tell their model about the application. */
  readonly instructions?: string
  /** The paths of the services whose methods are tools; all when left out. */
  readonly services?: readonly string[]
  /**
   * `'each'` makes a tool of each method, `'few'` three tools that list, describe and call them. Left out, there are few where
   * there would be more than 40.
   */
  readonly style?: 'each' | 'few'
  /**
   * The methods, or the names of tools, that ask the user first, beside `remove` and calls for several records. `false` has none
   * ask.
   */
  readonly confirm?: readonly string[] | false
  /** Whether clients without credentials may call what `anyone` may. */
  readonly anonymous?: boolean
  /** The authorization servers that clients log in at. Left out, they have a token of the application, or an API key. */
  readonly issuers?: readonly McpIssuer[]
}

const CHECKS: OptionChecks = {
  resource: [isResource, 'the URL of the endpoint, with https, without a query', 'required'],
  path: [isPath, "a path such as '/mcp'"],
  instructions: [isString, 'a string that is not empty'],
  services: [isStringList, 'an array of paths of services'],
  style: [(style) => style === 'each' || style === 'few', "'each' or 'few'"],
  confirm: [
    (confirm) => confirm === false || isStringList(confirm),
    'an array of names of methods, or false'
  ],
  anonymous: [isBoolean, 'true or false', 'protection'],
  issuers: [(issuers) => Array.isArray(issuers) && issuers.length > 0, 'an array of issuers', 'protection']
}

/**
 * Checks the options of `mcp`. What names services, methods and issuers is checked when the application is set up. Throws a
 * TypeError that names the option.
 */
export function assertMcpOptions(options: unknown): asserts options is McpOptions {
  assertOptions('mcp()', options, CHECKS)
}

function isPath(path: unknown): boolean {
  return typeof path === 'string' && /^(?:\/[\w.~-]+)+$/.test(path)
}

function isResource(value: unknown): boolean {
  return isSafeUrl(value) && !/[?#]/.test(value as string)
}
