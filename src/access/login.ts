import { getServiceSlots, toNestedParams } from '../utils/call-state.ts'

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** Whether a login loads its entity: who may read users does not decide about who may log in. */
    readonly isLogin?: true
  }
}

/**
 * The params of a call by which a login loads its entity.
 *
 * @param params Those of the login
 * @param service The service of the entity
 */
export function toLoginParams<Params extends object>(params: Params, service: object): Params {
  return toNestedParams(params, service, { isLogin: true })
}

/** Whether a call loads the entity of a login. Other services do not see that, whose calls hooks may make with its params. */
export function isOfLogin(params: object, service: object, method: string): boolean {
  return method === 'get' && getServiceSlots(params, service).isLogin === true
}
