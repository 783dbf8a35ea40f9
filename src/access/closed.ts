import { assertCalled } from '../core/assert-application.ts'
import { addGate, getLayers, isRefused } from '../core/gate.ts'
import { addPlugin } from '../core/internals.ts'
import { isStandardMethod } from '../core/methods.ts'
import { getServiceOptions } from '../core/service.ts'
import type { Application, FeathersService, HookContext, NextFunction } from '../core/types.ts'
import { Forbidden } from '../errors.ts'
import { describeHook } from '../hooks/traits.ts'
import { isObject, isStringList } from '../utils/check.ts'
import { assertOptions } from '../utils/options.ts'
import { emitWarning } from '../utils/runtime.ts'
import { isOfLogin } from './credentials.ts'
import { findGuard } from './guard.ts'

/** What `closed()` leaves open. */
export interface ClosedOptions {
  /** Methods by the path of their service, for services that plugins register. */
  readonly open?: { readonly [path: string]: readonly string[] }
}

/**
 * Closes every method that nothing guards: one whose service has no `access`, and that has no hook `authenticate` in its
 * own right, is refused from outside. A warning names them when the application starts.
 *
 * @param options Methods that stay open
 * @returns A function for `app.configure`
 * @throws TypeError for options that are not valid
 * @example
 * app.configure(closed())
 */
export function closed(options: ClosedOptions = {}): (app: any) => void {
  assertCalled('closed', options)
  assertOptions('closed()', options, { open: [isOpenList, 'lists of methods by the path of a service'] })

  const open = new Map(Object.entries(options.open ?? {}))

  return (app: Application) => {
    addPlugin(app, 'closed', 'closed() is configured on the application already')

    const close = (service: FeathersService, path: string): void => {
      addGate(service, path, (method, layers) => {
        if (open.get(path)?.includes(method) || findGuard(service, method, layers) !== undefined)
          return undefined

        return refusal
      })
    }

    for (const [path, service] of Object.entries(app.services as { [path: string]: FeathersService })) {
      // A plugin may have put a service among the others that was never registered, and that no client reaches.
      if (getServiceOptions(service)) close(service, path)
    }

    app.mixins.push(close)
    app.hooks({
      setup: [
        async (_context: unknown, next: NextFunction) => {
          await next()
          warnOfClosed(app, open)
        }
      ]
    })
  }
}

function isOpenList(open: unknown): boolean {
  return isObject(open) && Object.values(open).every(isStringList)
}

const refusal = describeHook(refuseFromOutside, { refuses: true })

async function refuseFromOutside(context: HookContext, next: NextFunction): Promise<void> {
  const { params, service, path, method } = context

  if (params.provider && !isOfLogin(params, service, method)) {
    throw new Forbidden(`The method '${method}' of '${path}' is closed`)
  }

  await next()
}

/** Only warns: the method may be closed on purpose, or its guard may be inside another hook. */
function warnOfClosed(app: Application, open: ReadonlyMap<string, readonly string[]>): void {
  const services = Object.entries(app.services as { [path: string]: FeathersService })
  const names = services.flatMap(([path, service]) =>
    (getServiceOptions(service)?.methods ?? [])
      .filter((method) => isRefused(getLayers(service, method) ?? []))
      .map((method) => `${path}.${method}`)
  )
  const unknown = [...open.keys()].filter((path) => !(path in app.services))
  const missing = [...open].flatMap(([path, methods]) =>
    path in app.services ? listMissing(app.services[path], methods).map((method) => `${path}.${method}`) : []
  )

  const warn = (list: readonly string[], toSentence: (names: string) => string) => {
    if (list.length > 0) emitWarning(toSentence(list.join(', ')), { code: 'ALULA_CLOSED' })
  }

  warn(
    names,
    (refused) =>
      `closed() refuses ${refused} from outside. Give the service the option 'access', or a hook authenticate(…) that stands in no other hook; leave out of 'methods' what no client needs`
  )
  warn(unknown, (paths) => `'open' of closed() names services that are not there: ${paths}`)
  warn(missing, (methods) => `'open' of closed() names methods that are not there: ${methods}`)
}

/** As for `access()`: standard methods may be named, whichever of them the service has. */
function listMissing(service: FeathersService, named: readonly string[]): readonly string[] {
  const methods = getServiceOptions(service)?.methods

  return methods ? named.filter((method) => !isStandardMethod(method) && !methods.includes(method)) : []
}
