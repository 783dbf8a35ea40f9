import type { NextFunction } from '../core/types.ts'
import { stripSlashes } from '../utils/path.ts'
import { whenConnected } from './socket.ts'

type AroundHook = (context: any, next: NextFunction) => Promise<void>

/** Makes calls wait for the login that is on its way, and puts its result under their params. */
export function waitForAuthentication(): AroundHook {
  return async function waitForAuthentication(context, next) {
    const { app, path, method } = context
    const isLogin = method === 'create' && path === stripSlashes(app.authentication.options.path)
    const login = isLogin ? null : app.get('authentication')
    const isLost = login && app.io?.connected === false
    // A login after a lost connection waits for the next one. A socket that is closed gets none by itself.
    const result = await (isLost ? Promise.race([login, whenConnected(app.io).then(() => login)]) : login)

    if (result) context.params = { ...result, ...context.params }

    await next()
  }
}

/** Sends the token of the login in a header; one that the caller has set stays. Only HTTP has headers. */
export function populateHeader(): AroundHook {
  return async function populateHeader(context, next) {
    const { app, params } = context

    if (app.rest && params.accessToken) {
      const { header, scheme } = app.authentication.options

      // The caller’s params stay as they are.
      context.params = {
        ...params,
        headers: { [header]: `${scheme} ${params.accessToken}`, ...params.headers }
      }
    }

    await next()
  }
}
