// Calls that code of the application makes for the client that called it.
import {
  addInherited,
  getInherited,
  getServiceSlots,
  setInherited,
  toNestedParams,
  withoutServiceSlots
} from '../utils/call-state.ts'
import { isObject } from '../utils/check.ts'
import { withLookupField } from './by.ts'
import { goesToClient } from './client-call.ts'
import { getInternals, type Internals, warnOnce } from './internals.ts'
import { getDefinition } from './methods.ts'
import { getServiceOptions } from './service.ts'
import type { Params } from './types.ts'

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** Whether a call is to be made as its client would make it: its id is what that would put into a path. */
    readonly isAsCaller?: true
  }
  interface InheritedSlots {
    /** Whether the params are made for a client, and not written by the application. */
    readonly isOfCall?: true
  }
}

/** Takes the place of the service of the next call, which `asCaller` does not know. */
const NEXT: object = Object.freeze({})

/**
 * The params for an internal call with the rights of the client that called: its access, its relations, and what the
 * service is addressed `by`. They keep the transaction. Params of an internal call stay internal.
 *
 * @param params The params of the call, as a method or a hook gets them
 * @param query The query of the new call, empty when left out. Unless the call is internal, it is checked as that of a client
 * @returns Params for the next call of any service
 * @example
 * async favorite(_data, params) {
 *   const { id } = await this.get(params.route.slug, asCaller(params))
 * }
 */
export function asCaller<P extends Params>(params: P | undefined, query: P['query'] = {}): P {
  const { paginate, adapter, schema, ...caller } = (params ?? {}) as P & {
    paginate?: unknown
    adapter?: unknown
  }

  if (!caller.provider) return Object.assign(withoutServiceSlots(caller), { query }) as unknown as P

  const nested = toNestedParams(caller, NEXT, { isAsCaller: true }, { query })

  return addInherited(nested, { isOfCall: true }) as unknown as P
}

/** Keeps in mind that params are those of a call, and so are copies of them. In production nothing asks for that. */
export function noteParams<P extends Params>({ partsOfCalls }: Internals, params: P): P {
  if (partsOfCalls) for (const part of listParts(params)) partsOfCalls.add(part)

  return params
}

/**
 * The same for the params of a mounted function, which no other code has yet. A function of a sub-application calls the services of
 * that one, which keeps nothing of this request in mind: so the params themselves say it too.
 */
export function noteMountedParams<P extends Params>(app: object, params: P): P {
  setInherited(params, { isOfCall: true })

  return noteParams(getInternals(app), params)
}

/** What copies of params share, and no other params have. */
function listParts({ route, headers, connection }: Params): readonly object[] {
  return [route, headers, connection].filter(isObject)
}

/**
 * Makes what runs before the hooks of each call of a method: it puts the params of `asCaller`, in the arguments of the call,
 * into the form that those of transports have. In development it counts the call.
 */
export function createEntry(
  app: object,
  service: object,
  path: string,
  method: string
): (args: unknown[]) => void {
  const index = getDefinition(method).args.indexOf('params')
  const { by } = getServiceOptions(service)
  const { repeatedCalls, partsOfCalls } = getInternals(app)

  return (args) => {
    repeatedCalls?.count(path, method)

    const params = args[index] as Params | null | undefined

    if (!params?.provider) return
    if (getServiceSlots(params, NEXT).isAsCaller) {
      args[index] = withLookupField(service, by, method, args[0], withoutServiceSlots(params))
    } else if (partsOfCalls && isWritten(partsOfCalls, params) && !goesToClient(Object(args.at(-1)))) {
      warnOnce(
        app,
        'ALULA_WRITTEN_PROVIDER',
        `'${method}' of service '${path}' was called with params whose provider the application has written: no client has made such a call. Pass the params of a call on, use asCaller(params), or call app.asClient({ user }).service('${path}').${method}()`
      )
    }
  }
}

/** Whether params of an external call are neither those of a call nor made of such. */
function isWritten(partsOfCalls: WeakSet<object>, params: Params): boolean {
  return !getInherited(params).isOfCall && !listParts(params).some((part) => partsOfCalls.has(part))
}
