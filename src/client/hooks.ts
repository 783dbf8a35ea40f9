import { toArguments } from '../core/methods.ts'
import type { AnyService, NextFunction, Params } from '../core/types.ts'
import { setInherited } from '../utils/call-state.ts'
import { toPairs } from './headers.ts'

declare module '../utils/call-state.ts' {
  interface InheritedSlots {
    /** In a client: the login that the call was made with. A token of the caller or of a hook is none. */
    readonly login?: { readonly client: object; readonly accessToken: string }
  }
}

type AroundHook = (context: any, next: NextFunction) => Promise<void>

/**
 * Makes calls wait for the login that is on its way, and puts its result under their params. The access token of a session is
 * renewed before it expires, and when the server refuses it: then the call is made again.
 */
export function waitForAuthentication(): AroundHook {
  return async function waitForAuthentication(context, next) {
    const { app, path, method, service, params, id, data } = context
    const client = app.authentication
    const isOfLogin = path === client.path
    const isLogin = isOfLogin && method === 'create'
    const login = isLogin ? null : app.get('authentication')
    const wait = (promise: Promise<any>): Promise<any> => waitFor(client.service, promise, context)
    let result = await (login && wait(login))

    if (result && client.isOld && !isOfLogin) result = await wait(client.renewEarly(result))
    if (result) context.params = withLogin({ ...result, ...params })

    try {
      await next()
    } catch (error: any) {
      // One that was made with another token, or again already, is not made again.
      if (!result || isOfLogin || params.accessToken || !client.isRenewable(error)) throw error

      const { accessToken } = await wait(client.renew(result.accessToken))

      // The call that is made now emits it.
      context.event = null
      context.result = await service[method](
        ...toArguments({ method, id, data, params: withLogin({ ...params, accessToken }) })
      )
    }

    function withLogin(own: Params & { accessToken: string }): Params {
      if (!params.accessToken)
        setInherited(own, { login: { client, accessToken: own.accessToken || result.accessToken } })

      return own
    }
  }
}

/** Sends the token of the login in a header; one that the caller has set stays. Only HTTP has headers. */
export function populateHeader(): AroundHook {
  return async function populateHeader(context, next) {
    const { app, params } = context

    if (app.rest && params.accessToken) {
      const { header, scheme } = app.authentication.options
      const given = Object.fromEntries(toPairs(params.headers))

      // The caller’s params stay as they are.
      context.params = {
        ...params,
        headers: { [header]: `${scheme} ${params.accessToken}`, ...given }
      }
    }

    await next()
  }
}

/**
 * Waits for a login with a call, until the signal of the call aborts. Over a socket no longer than the call may take: a login
 * after a lost connection waits for the next one, as long as that takes. `service` is that of authentication.
 */
export function waitFor<T>(
  service: AnyService,
  login: Promise<T>,
  { method, path, params }: { method: string; path: string; params: Params }
): Promise<T> {
  return orAborted(service._waitFor?.(login, { method, path }) ?? login, params.connection?.signal)
}

/** Rejects with the reason of a signal that aborts before a promise settles. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise

  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)

    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}
