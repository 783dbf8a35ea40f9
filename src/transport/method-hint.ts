import { isStandardMethod } from '../core/methods.ts'
import { canBeMethod, getServiceOptions } from '../core/service.ts'
import { isString } from '../utils/check.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { isProduction } from './error.ts'

/**
 * Why a name, which over a socket may be no string, is none of a custom method that clients can call: what to append to a
 * sentence without its full stop. In production it is empty: clients learn nothing of methods that they cannot call.
 */
export function toMethodHint(service: object, name: unknown): string {
  if (isProduction() || !isString(name) || isStandardMethod(name) || !canBeMethod(name)) return ''

  if (typeof (service as { [name: string]: unknown })[name] === 'function') {
    return `: the service has '${name}', but its option 'methods' does not list it`
  }

  const { methods } = getServiceOptions(service)

  return didYouMean(
    name,
    methods.filter((method) => !isStandardMethod(method))
  )
}
