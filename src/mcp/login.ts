import type { AuthenticationBase } from '../authentication/base.ts'
import type { HookContext, NextFunction } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { isObject } from '../utils/check.ts'
import { toTokenOptions } from './callers.ts'

/**
 * Makes an around hook of `create` of an authentication service: a login with `resource` in its data returns a token for MCP,
 * which is none for the API.
 */
export function createResourceLogin(auth: AuthenticationBase, resource: string) {
  return async function logInForMcp(context: HookContext, next: NextFunction): Promise<void> {
    const { data, params } = context

    if (!isObject(data) || data.resource === undefined) return next()
    if (data.resource !== resource) throw new BadRequest(`Invalid data: 'resource' expects '${resource}'`)
    if (auth.sessionLogins.isRefresh(data) || params.connection)
      throw new BadRequest("Invalid data: 'resource' is for a login over HTTP by credentials")

    const { resource: _, refresh: __, ...credentials } = data

    context.data = credentials
    // A session would make tokens for the API of it.
    context.params = {
      ...params,
      jwtOptions: { ...params.jwtOptions, ...toTokenOptions(resource) },
      refresh: false
    }
    await next()

    if (context.result?.authentication?.payload?.aud !== resource)
      throw new BadRequest("Invalid data: a token is no login for a 'resource'")
  }
}
