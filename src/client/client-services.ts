import type { methods } from '../core/methods.ts'

/** Custom methods by path, as unions of names. */
type CustomMethodNames<Services> = { readonly [Path in keyof Services]?: keyof Services[Path] }

/**
 * The services of a server as a client has them: their standard methods, and the custom ones that are listed. What
 * else a service has is for the server alone.
 *
 * @example
 * type Services = ClientServices<ServerServices, { messages: 'archive' }>
 */
export type ClientServices<Services, Custom extends CustomMethodNames<Services> = Record<never, never>> = {
  [Path in keyof Services]: Pick<
    Services[Path],
    Extract<keyof Services[Path], keyof typeof methods | (Path extends keyof Custom ? Custom[Path] : never)>
  >
}
