import type { FeathersService } from '../core/types.ts'

/**
 * Where params say that a login loads its entity with them, and from which service: who may read users does not decide
 * about who may log in.
 */
export const LOGIN: unique symbol = Symbol('alula/login')

/** Whether a call loads the entity of a login. Hooks of that call may hand its params on to other services. */
export function isOfLogin(params: object, service: FeathersService | object, method: string): boolean {
  return method === 'get' && (params as { [LOGIN]?: object })[LOGIN] === service
}
