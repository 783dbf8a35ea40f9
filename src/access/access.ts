import { reportError } from '../core/events.ts'
import { isStandardMethod } from '../core/methods.ts'
import { getServiceOptions } from '../core/service.ts'
import type { Application, FeathersService, HookContext, Query, ServiceExtension } from '../core/types.ts'
import { Forbidden, isFeathersError, NotAuthenticated } from '../errors.ts'
import { getTraits } from '../hooks/traits.ts'
import type { AroundHook, Hook } from '../hooks/types.ts'
import { listDeclared } from '../schema/compile.ts'
import { listStored } from '../schema/stored.ts'
import { getInherited } from '../utils/call-state.ts'
import { isFunction } from '../utils/check.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { findPath, getFirstName, isPlainObject } from '../utils/object.ts'
import { isPromise } from '../utils/promise.ts'
import { emitWarning } from '../utils/runtime.ts'
import { withoutStack } from '../utils/without-stack.ts'
import { isOfLogin, verifyCredentials } from './credentials.ts'
import { addRestriction, createEnforcer, setRestriction } from './restriction.ts'
import { type AccessRule, describeRule, owner, role, user } from './rules.ts'

/** Who may call the methods of a service: rules by the names of methods; `all` is for those that are not named. */
export interface AccessRules {
  readonly [method: string]: AccessRule
}

/**
 * Declares who may make external calls of a service. A method that it does not name is closed. Internal calls are not
 * checked.
 *
 * @param rules For each method a function of the context, which returns `true`, `false`, or a query that is added to the
 * query of the client: `anyone`, `user`, `owner(field)`, `role(name)`, or one of your own
 * @returns What the option `access` of `app.use` takes
 * @throws TypeError for anything but functions by name
 * @example
 * app.use('notes', new Notes(options), {
 *   access: access({ find: anyone, get: anyone, create: user, patch: owner('ownerId'), remove: role('admin') })
 * })
 */
export function access(rules: AccessRules): ServiceExtension {
  if (!isPlainObject(rules) || Object.keys(rules).length === 0) {
    throw createTypeError(
      'ALULA_INVALID_ACCESS',
      'access() expects rules by the names of methods: access({ find: anyone, create: user })'
    )
  }

  for (const [method, rule] of Object.entries(rules)) {
    if (!isFunction(rule)) {
      throw createTypeError(
        'ALULA_INVALID_ACCESS',
        `Invalid rule for '${method}' in access(): expected a function, got ${typeof rule}. Rules such as user and owner('ownerId') are imported from 'alula/access'`
      )
    }
    if (([owner, role] as unknown[]).includes(rule)) {
      throw createTypeError(
        'ALULA_INVALID_ACCESS',
        `Invalid rule for '${method}' in access(): call ${rule.name} with a name, as in owner('ownerId') and role('admin')`
      )
    }
  }

  return new ServiceAccess(new Map(Object.entries(rules)))
}

class ServiceAccess implements ServiceExtension {
  private readonly rules: ReadonlyMap<string, AccessRule>

  constructor(rules: ReadonlyMap<string, AccessRule>) {
    this.rules = rules
  }

  install(service: FeathersService, path: string): void {
    const { methods } = getServiceOptions(service)

    if (getTraits(service).access) {
      throw createError(
        'ALULA_INVALID_ACCESS',
        `Service '${path}' says itself who may call it: leave its option 'access' out`
      )
    }

    for (const name of this.rules.keys()) {
      if (name !== 'all' && !methods.includes(name) && !isStandardMethod(name)) {
        throw createError(
          'ALULA_UNKNOWN_METHOD',
          `The access of service '${path}' names the method '${name}', which clients do not have${didYouMean(name, ['all', ...methods])}`
        )
      }
    }
    for (const method of methods) {
      const rule = this.getRule(method)

      if (rule && !isStandardMethod(method) && describeRule(rule).field !== undefined) {
        throw createError(
          'ALULA_INVALID_ACCESS',
          `The access of service '${path}' has ${describeRule(rule).who} for '${method}', which is no standard method: name '${method}' with a function that returns true or false`
        )
      }
    }
  }

  async setup(service: FeathersService, path: string, app: object): Promise<void> {
    if (!(app as Application).defaultAuthentication?.()) this.warnOfNoLogin(path)

    const rules = [...this.rules.values()].map(describeRule).filter(({ field }) => field !== undefined)

    if (rules.length === 0) return

    const declared = listDeclared(service)
    const names = declared ?? (await listStored(service))

    if (!names) return

    for (const { who, field = '' } of rules) {
      const name = getFirstName(field)

      if (names.includes(name)) continue

      throw createError(
        'ALULA_UNKNOWN_FIELD',
        `The access of service '${path}' has ${who}, and its ${declared ? 'schema' : 'table'} has no field '${name}'${didYouMean(name, names)}`
      )
    }
  }

  /** Without an authentication service, sessions of the application may say who calls. */
  private warnOfNoLogin(path: string): void {
    const rules = [...this.rules.values()]
    const needy = rules.find((rule) => rule === user || describeRule(rule).needsEntity)

    if (!needy) return

    emitWarning(
      `The access of service '${path}' has ${describeRule(needy).who}, and the application has no authentication service: calls pass only where the application sets params.user and params.authenticated itself`,
      { code: 'ALULA_NO_AUTHENTICATION' }
    )
  }

  who(method: string): string {
    const rule = this.getRule(method)

    return rule ? describeRule(rule).who : 'nobody'
  }

  admit(method: string): Hook<HookContext> {
    const rule = this.getRule(method)

    return (context) => {
      if (isOfLogin(context.params, context.service, method)) return

      const verified = verifyCredentials(context)

      return verified ? verified.then(() => decide(context, rule)) : decide(context, rule)
    }
  }

  input(method: string): Hook<HookContext> | undefined {
    if (!this.mayRestrict(method) || method === 'create') return undefined

    return addRestriction
  }

  innermost(method: string): AroundHook<HookContext> | undefined {
    return this.mayRestrict(method) ? createEnforcer(method) : undefined
  }

  private getRule(method: string): AccessRule | undefined {
    return this.rules.get(method) ?? this.rules.get('all')
  }

  /** Whether the rule of a method may return a query. One for a custom method is refused. */
  private mayRestrict(method: string): boolean {
    const rule = this.getRule(method)

    return isStandardMethod(method) && rule !== undefined && describeRule(rule).hasQuery
  }
}

/**
 * Applies a rule to an external call whose credentials are verified, and keeps the query that it returns. Throws
 * NotAuthenticated or Forbidden where the rule refuses, or where there is none.
 */
export function decide(context: HookContext, rule: AccessRule | undefined): void | Promise<void> {
  if (!context.params.provider) return

  try {
    const decision = rule?.(context)

    if (!isPromise(decision)) return takeDecision(context, decision)

    return Promise.resolve(decision).then(
      (awaited) => takeDecision(context, awaited),
      (error) => refuseAfter(context, error)
    )
  } catch (error) {
    refuseAfter(context, error)
  }
}

function takeDecision(context: HookContext, decision: unknown): void {
  if (decision === true) return
  if (!isQuery(decision) || !isStandardMethod(context.method)) throw toRefusal(context)

  setRestriction(context, decision)
}

/** An undefined value would find the records that have none: `{ ownerId: params.user?.id }` without a user. */
function isQuery(decision: unknown): decision is Query {
  return isPlainObject(decision) && findPath(decision, (value) => value === undefined) === undefined
}

/** An error that was made for clients tells them why; any other is a mistake of the rule. */
function refuseAfter(context: HookContext, error: unknown): never {
  if (isFeathersError(error)) throw error
  if (context.params.authenticated === true) reportError(context.app, error, context)

  throw toRefusal(context)
}

/** A login may help where there is none. A relation shows nothing in place of what is refused, and no stack either. */
function toRefusal({ params, method, path }: HookContext): Error {
  const create = () =>
    params.authenticated === true
      ? new Forbidden(`You may not call '${method}' of '${path}'`)
      : new NotAuthenticated('Not authenticated')

  return getInherited(params).isForRelation ? withoutStack(create) : create()
}
