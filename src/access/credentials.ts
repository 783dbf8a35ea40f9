import type { DefaultAuthentication, HookContext } from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { addInherited, getServiceSlots, setSlots, toNestedParams } from '../utils/call-state.ts'

/**
 * Verifies the credentials of a call by any strategy that finds them in requests, and puts what it returns (for example `user`)
 * on the params. A call without credentials stays as it is: the result is `undefined`. Throws NotAuthenticated for credentials
 * that are not valid.
 */
export function verifyCredentials(context: HookContext): Promise<void> | undefined {
  const { params, app } = context

  if (!params.authentication || params.authenticated === true) return undefined

  const auth = app.defaultAuthentication?.()

  // As for the hook: an internal call may bring the user that it is made for.
  if (!params.provider && hasEntity(params, auth?.configuration?.entity)) return undefined

  return verify(context, auth)
}

function hasEntity(params: object, entity: string | null | undefined): boolean {
  return Boolean(entity && (params as { [name: string]: unknown })[entity])
}

async function verify(context: HookContext, auth: DefaultAuthentication | null | undefined): Promise<void> {
  if (typeof auth?.authenticate !== 'function') {
    throw new NotAuthenticated('Could not find a valid authentication service')
  }

  const { params } = context
  const { provider, authentication, ...authParams } = params
  const found = await auth.authenticate(authentication, authParams, ...toStrategies(auth.configuration))
  const { accessToken, ...result } = found

  context.params = addInherited(Object.assign({}, params, result, { authenticated: true }), {
    admission: { by: auth, credentials: authentication }
  })
  setSlots(context, { verifiedBy: auth })
}

/** Those of the HTTP requests, and those that sockets log in by. */
function toStrategies({ authStrategies, parseStrategies }: DefaultAuthentication['configuration']): string[] {
  return [...new Set([...(parseStrategies ?? []), ...authStrategies])]
}

/** The params of a call by which a login loads its entity. */
export function toLoginParams<Params extends object>(params: Params, service: object): Params {
  return toNestedParams(params, service, { isLogin: true })
}

/** Whether a call loads the entity of a login. Other services do not see that, whose calls hooks may make with its params. */
export function isOfLogin(params: object, service: object, method: string): boolean {
  return method === 'get' && getServiceSlots(params, service).isLogin === true
}
