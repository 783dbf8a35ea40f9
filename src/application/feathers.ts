import { warnOfMissingLogin } from '../access/missing-login.ts'
import { BaseApplication } from '../core/application.ts'
import { createEntry } from '../core/caller.ts'
import { assertErrorStatus } from '../core/error-status.ts'
import { assertExtensible } from '../core/gate.ts'
import { getInternals, warnOnce } from '../core/internals.ts'
import { addMethodRoutes, assertNoRoute } from '../core/method-routes.ts'
import { warnOfMissingResult } from '../core/missing-result.ts'
import { addPlace } from '../core/place.ts'
import { copyEvent } from '../core/publish.ts'
import { registrationSteps } from '../core/register.ts'
import { RepeatedCalls } from '../core/repeated-calls.ts'
import { withDispatch } from '../core/shown.ts'
import { nameSecondCopy } from '../core/single-copy.ts'
import { callTracer, eventTracer, hookTracer } from '../core/tracers.ts'
import type {
  Application,
  AsClientOptions,
  RouteLookup,
  ServiceMixin,
  ServicesOfClient
} from '../core/types.ts'
import { addRelations } from '../relations/extension.ts'
import { enforceSchema } from '../schema/enforce.ts'
import { addScope } from '../scope/scope.ts'
import { createClientOf } from '../transport/as-client.ts'
import { assertRequestIds } from '../transport/request-id.ts'
import { copyWith, isEmpty } from '../utils/object.ts'
import { stripSlashes } from '../utils/path.ts'
import { helpsDevelopers } from '../utils/runtime.ts'

/** The application, with the routes of methods and with schemas. */
export class Feathers extends BaseApplication {
  override mixins: ServiceMixin<any>[] = [
    assertNoRoute,
    addScope,
    enforceSchema,
    addRelations,
    assertExtensible,
    addPlace,
    ...registrationSteps,
    addMethodRoutes
  ]

  constructor() {
    super()
    nameSecondCopy(Feathers)

    const isDevelopment = helpsDevelopers()

    Object.assign(getInternals(this), {
      toEventContext: withDispatch,
      copyEvent,
      createEntry,
      callTracer,
      hookTracer,
      eventTracer,
      checkSettings: (app: Application) => {
        assertErrorStatus(app.get('errorStatus'))
        assertRequestIds(app.get('requestIds'))
        warnOfMissingLogin(app)
      },
      ...(isDevelopment && {
        partsOfCalls: new WeakSet(),
        repeatedCalls: new RepeatedCalls((read, count, name) =>
          warnOnce(
            this,
            'ALULA_REPEATED_CALLS',
            `'${read}' was called ${count} times in one '${name}': read the records with one 'find' and $in, or with a relation`,
            `ALULA_REPEATED_CALLS ${read} ${name}`
          )
        ),
        checkResult: warnOfMissingResult
      })
    })
  }

  asClient(options?: AsClientOptions): ServicesOfClient<any> {
    return createClientOf(this, options) as ServicesOfClient<any>
  }

  override lookup(path: string): RouteLookup | null {
    const match = this.routes.lookup(path)

    if (!match) return null

    const { service, params, routes, path: location } = match.data

    if (!routes) return { service, params: isEmpty(params) ? match.params : copyWith(params, match.params) }

    const { __id, ...own } = match.params

    return { service, routes, params: { ...params, ...own, ...toRest(path, location) } }
  }
}

/** What a path has after that of its service: one segment is an id, and can be a route too. */
function toRest(path: string, location: string): { [name: string]: string } {
  const depth = location === '/' ? 0 : location.split('/').length
  const rest = stripSlashes(path).split('/').slice(depth).join('/')

  if (rest === '') return {}

  return rest.includes('/') ? { __rest: rest } : { __id: rest }
}
