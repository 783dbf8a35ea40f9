import type {
  AuthenticationRequest,
  DefaultAuthentication,
  HookContext,
  NextFunction
} from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { describeHook } from '../hooks/traits.ts'
import { addInherited, getInherited, getServiceSlots, setSlots } from '../utils/call-state.ts'
import { createError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { createFreshCheck } from './fresh.ts'

/** Which strategies may authenticate a call, and whose they are. */
export interface AuthenticateHookSettings {
  /** The path of the authentication service; the default one when left out. */
  service?: string
  /** The names of the strategies. */
  strategies: readonly string[]
  /** Whether a call without credentials passes too. Credentials that it has must be valid all the same. */
  optional?: boolean
  /**
   * How old the login may be, such as `'10m'` or a number of seconds: of an older one the user has to log in again. Where its
   * time is not known, an external call is refused too, unless it is `optional` and has no credentials.
   */
  fresh?: string | number
}

/** Who has authenticated a call, by any strategy, before its hooks. */
interface Admission {
  readonly by: DefaultAuthentication
  /** What the client has sent: `params.authentication` may lack it by now. Left out where no service may have it. */
  readonly credentials?: AuthenticationRequest | undefined
}

declare module '../utils/call-state.ts' {
  interface InheritedSlots {
    /**
     * Set where the access of a service has authenticated the call. A hook after it accepts only its own authentication
     * service and the strategies that it names, also in the other services that get the params.
     */
    readonly admission?: Admission
  }
  interface ServiceSlots {
    /** Whether a login loads its entity: who may read users does not decide about who may log in. */
    readonly isLogin?: true
  }
  interface ContextSlots {
    /** The authentication service that has verified the credentials of the call. */
    readonly verifiedBy?: DefaultAuthentication
  }
}

/** The part of a context that the hook needs; Express middleware has no more. */
type AuthenticateContext = Pick<HookContext, 'app' | 'params'> &
  Partial<Pick<HookContext, 'type' | 'service'>>

/**
 * A before or around hook that lets an external call through only when `params.authentication` is valid, and
 * then puts what the strategy returns (for example `user`) on the params. An internal call passes when it brings no
 * `authentication`, or when the entity is on its params already.
 *
 * @param settings The first strategy, or settings
 * @param names Further strategies
 * @throws Error when there is no strategy, for an `optional` that is not a boolean and a `fresh` that is no duration; the hook
 * throws NotAuthenticated, with `data.reason` `'stale'` for a login that is too old
 * @example
 * app.service('messages').hooks({ before: { all: [authenticate('jwt')] } })
 * app.service('articles').hooks({ before: { find: [authenticate({ strategies: ['jwt'], optional: true })] } })
 */
export function authenticate(settings: string | AuthenticateHookSettings, ...names: string[]) {
  const { service: location, strategies, optional = false, fresh } = toSettings(settings, names)
  const assertLogin =
    fresh === undefined ? undefined : createFreshCheck(fresh, 'the authenticate hook', location)
  const checkStrategies = createStrategyCheck(strategies)

  async function authenticateCall(context: AuthenticateContext, next?: NextFunction): Promise<any> {
    if (next !== undefined && typeof next !== 'function') {
      throw createError(
        'ALULA_MISPLACED_HOOK',
        "This authenticate is a hook: the one for middleware is in 'alula/express'"
      )
    }

    const { app, params, type, service } = context
    const auth = app.defaultAuthentication?.(location)

    if (type && type !== 'before' && type !== 'around') {
      throw new NotAuthenticated('The authenticate hook must be used as a before hook')
    }
    if (typeof auth?.authenticate !== 'function') {
      throw new NotAuthenticated('Could not find a valid authentication service')
    }
    if (service === auth) {
      throw new NotAuthenticated(
        'The authenticate hook does not need to be used on the authentication service'
      )
    }

    if (needsAuthentication(params, auth, strategies)) {
      const { provider, authentication: _, ...authParams } = params
      const admission = getAdmission(params)
      const authentication = admission ? admission.credentials : params.authentication

      if (!authentication && (admission || !optional)) throw new NotAuthenticated('Not authenticated')
      checkStrategies(auth)

      if (authentication) {
        const { accessToken, ...result } = await auth.authenticate(authentication, authParams, ...strategies)
        const verified = Object.assign({}, params, result, { authenticated: true })

        context.params = admission
          ? addInherited(verified, { admission: { by: auth, credentials: authentication } })
          : verified
        setSlots(context, { verifiedBy: auth })
      }
    }

    if (mustBeFresh(context)) assertLogin?.(context)

    return typeof next === 'function' ? next() : context
  }

  return describeHook(authenticateCall, { input: 'after', authenticates: { strategies, optional } })
}

/** Checks once whether a hook names strategies that are not registered, and warns: every call would be refused. */
function createStrategyCheck(strategies: readonly string[]): (auth: DefaultAuthentication) => void {
  let isDone = false

  return (auth) => {
    if (isDone || !auth.isReady) return

    const { strategyNames = [] } = auth
    const unknown = strategies.find((name) => !strategyNames.includes(name))

    isDone = true
    if (unknown === undefined) return

    process.emitWarning(
      `An authenticate hook names the strategy '${unknown}', which is not registered${didYouMean(unknown, strategyNames)}`,
      { code: 'ALULA_UNKNOWN_STRATEGY' }
    )
  }
}

function needsAuthentication(
  params: HookContext['params'],
  auth: DefaultAuthentication,
  strategies: readonly string[]
): boolean {
  const { authenticated, authentication, provider } = params
  const entity = auth.configuration?.entity

  if (authenticated === true) {
    const { by } = getAdmission(params) ?? {}

    return by !== undefined && (by !== auth || !strategies.includes(authentication?.strategy as string))
  }
  if (provider) return true

  return Boolean(authentication) && !(entity && params[entity])
}

/** Also without a token, as of a session of the application: when its user has logged in is not known. A login itself has none yet. */
function mustBeFresh({ params, service = {} }: AuthenticateContext): boolean {
  const { provider, authentication, authenticated } = params

  if (!provider) return false

  return Boolean(authentication) || (authenticated === true && !getServiceSlots(params, service).isLogin)
}

/** Who has authenticated an external call, where that was neither a hook nor the application. */
function getAdmission(params: HookContext['params']): Admission | undefined {
  return params.provider && params.authenticated === true ? getInherited(params).admission : undefined
}

function toSettings(
  settings: string | AuthenticateHookSettings,
  names: readonly string[]
): AuthenticateHookSettings {
  const given = typeof settings === 'string' ? { strategies: [settings, ...names] } : settings

  // Also rejects an empty name, as from `authenticate(process.env.STRATEGY ?? '')`.
  if (
    !Array.isArray(given?.strategies) ||
    !given.strategies.length ||
    given.strategies.some((name) => !name)
  ) {
    throw createError('ALULA_INVALID_ARGUMENT', 'The authenticate hook needs at least one allowed strategy')
  }
  if (given.optional !== undefined && typeof given.optional !== 'boolean') {
    throw createError(
      'ALULA_INVALID_OPTION',
      "Invalid option 'optional' of the authenticate hook: expected true or false"
    )
  }

  return given
}
