import type { Params } from '../core/types.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { toHead } from './encode.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import type { MountedTarget } from './target.ts'

/**
 * Runs a mounted Fetch function. `HEAD` runs as `GET`.
 *
 * @param request The request
 * @param target The function, and the path that it gets
 * @param params The params of calls that it may make: they come from outside
 * @returns Its response; the body stays a stream
 * @throws What the function throws; TypeError when it returns no response
 */
export async function runMounted(
  request: HttpRequest,
  { mounted, prefix, path }: MountedTarget,
  params: Params
): Promise<HttpResponse> {
  const { authentication = null } = params
  const response = await mounted(request.toRequest(path), {
    params,
    authentication,
    address: request.address,
    prefix
  })

  if (!(response instanceof Response)) {
    throw createTypeError(
      'ALULA_INVALID_RETURN_VALUE',
      `The function that is mounted for '${path}' returned no Response`
    )
  }
  if (response.type === 'error' || response.bodyUsed || response.body?.locked) {
    throw createTypeError(
      'ALULA_INVALID_RETURN_VALUE',
      `The function that is mounted for '${path}' returned a Response that cannot be sent`
    )
  }

  const { status, headers, body } = response
  const cookies = headers.getSetCookie()
  const { 'set-cookie': _, ...others } = Object.fromEntries(headers)

  return {
    status,
    headers: { ...toHead(others), ...(cookies.length > 0 && { 'set-cookie': cookies }) },
    body: body ?? undefined
  }
}
