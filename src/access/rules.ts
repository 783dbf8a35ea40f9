import { createFreshCheck } from '../authentication-hooks/fresh.ts'
import type { Application, DefaultAuthentication, HookContext, Query } from '../core/types.ts'
import { describeHook, getTraits } from '../hooks/traits.ts'
import { isString, isStringList } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'

/**
 * Says who may call a method: `true`, `false`, or a query that every record has to match which the call returns or
 * writes. Anything else refuses, and so does an error. As a method, so that a rule may take the context of its own
 * application, `HookContext<App>`.
 */
export type AccessRule = { rule(context: HookContext<any, any>): unknown }['rule']

declare module '../hooks/traits.ts' {
  interface Traits {
    /** Of a rule of the library: what it is called, and whether it returns a query. */
    readonly rule?: RuleInfo
  }
}

/** What is known of a rule before it is asked. */
export interface RuleInfo {
  readonly who: string
  /** The field that names the owner, for `owner`. */
  readonly field?: string
  /** Whether it returns a query. */
  readonly hasQuery: boolean
  /** Whether it passes only users whom the authentication service knows. */
  readonly needsEntity?: boolean
}

/** What audits say of methods whose rule is of the library, or missing. A function of an application may have such a name. */
const WORDS: readonly string[] = ['anyone', 'user', 'nobody']

/** What is known of a rule: a function of an application may return a query. */
export function describeRule(rule: AccessRule): RuleInfo {
  const { name } = rule
  const who = WORDS.includes(name) ? `function ${name}` : name || 'a function'

  return getTraits(rule).rule ?? { who, hasQuery: true }
}

/** Lets every call pass. A token that is sent is verified all the same, so that hooks have the user. */
export const anyone: AccessRule = define({ who: 'anyone', hasQuery: false }, () => true)

/** Lets calls pass whose credentials are valid. */
export const user: AccessRule = define({ who: 'user', hasQuery: false }, (context) => {
  if (!context)
    throw createTypeError(
      'ALULA_INVALID_ACCESS',
      '`user` is a rule itself: access({ create: user }), not user()'
    )

  return context.params.authenticated === true
})

/**
 * Lets users pass who have logged in lately. A refresh is no login.
 *
 * @param duration How old the login may be: `'10m'`, or a number of seconds
 * @throws TypeError for what is no duration; the rule throws NotAuthenticated with `data.reason` `'stale'` for an older login
 * @example
 * access({ remove: fresh('10m') })
 */
export function fresh(duration: string | number): AccessRule {
  const assertLogin = createFreshCheck(duration, 'fresh()')

  return define({ who: `fresh('${duration}')`, hasQuery: false }, (context) => {
    if (context.params.authenticated !== true) return false

    assertLogin(context)

    return true
  })
}

/**
 * Lets users reach the records that are theirs.
 *
 * @param field The field of the record that holds the id of the user; dots lead into objects
 * @throws TypeError for anything but the name of a field
 * @example
 * access({ find: anyone, patch: owner('ownerId') })
 */
export function owner(field: string): AccessRule
export function owner(field: string, ...others: readonly unknown[]): AccessRule {
  if (!isString(field) || field.startsWith('$') || others.length > 0) {
    throw createTypeError(
      'ALULA_INVALID_ARGUMENT',
      "owner() expects the name of a field, and nothing else: owner('ownerId')"
    )
  }

  return define({ who: `owner('${field}')`, field, hasQuery: true, needsEntity: true }, (context) => {
    const id = getEntityId(context)

    return id === undefined ? false : { [field]: id }
  })
}

/** Where a user has the names of its roles. */
export interface RoleOptions {
  /** The field: a name, or a list of names. `role` and `roles` when left out. */
  readonly field?: string
}

const ROLE_CHECKS: OptionChecks = { field: [isString, 'the name of a field'] }

/**
 * Lets users pass who have a role.
 *
 * @param name The name of the role
 * @param options Where it stands
 * @throws TypeError for anything but a name and a field
 * @example
 * access({ all: role('admin'), find: role('editor', { field: 'groups' }) })
 */
export function role(name: string, options: RoleOptions = {}): AccessRule {
  if (!isString(name))
    throw createTypeError('ALULA_INVALID_ARGUMENT', "role() expects the name of a role: role('admin')")

  assertOptions('role()', options, ROLE_CHECKS)

  const { field } = options
  const fields = field === undefined ? ['role', 'roles'] : [field]
  const place = field === undefined ? '' : `, { field: '${field}' }`

  return define({ who: `role('${name}'${place})`, hasQuery: false, needsEntity: true }, (context) => {
    const entity = getEntity(context)

    return fields.some((one) => hasName(entity?.[one], name))
  })
}

function define(info: RuleInfo, rule: AccessRule): AccessRule {
  return describeHook(rule, { rule: info })
}

function hasName(value: unknown, name: string): boolean {
  return value === name || (isStringList(value) && value.includes(name))
}

/**
 * The entity of a call that was authenticated, by the default service when `auth` is left out. Nothing else on the params can
 * be trusted to be one.
 */
export function getEntity(
  { app, params }: HookContext,
  auth?: DefaultAuthentication
): Record<string, unknown> | null | undefined {
  return params.authenticated === true ? pickEntity(params, getConfiguration(app, auth)) : undefined
}

/** The value of the id field that the authentication service names, or the service of its entities. */
export function readEntityId(
  app: Application,
  entity: object | null | undefined,
  auth?: DefaultAuthentication
): unknown {
  return pickId(app, entity, getConfiguration(app, auth))
}

/** Its id, where it can stand in a query: without one, the query would find records that have no owner. */
function getEntityId({ app, params }: HookContext): unknown {
  if (params.authenticated !== true) return undefined

  const configuration = getConfiguration(app)
  const id = pickId(app, pickEntity(params, configuration), configuration)
  const isValue = ['string', 'number', 'bigint'].includes(typeof id) && id !== '' && !Number.isNaN(id)

  return isValue || isInstance(id) ? id : undefined
}

interface Configuration {
  readonly [option: string]: any
}

function pickEntity(params: Query, { entity }: Configuration): Record<string, unknown> | null | undefined {
  return entity ? params[entity] : undefined
}

function pickId(
  app: Application,
  entity: object | null | undefined,
  { entityId, service }: Configuration
): unknown {
  return (entity as Query | null | undefined)?.[entityId ?? app.services[service]?.id]
}

/** Without an authentication service, an existing login of the application puts its user on the params. */
function getConfiguration(
  app: HookContext['app'],
  auth: DefaultAuthentication | undefined = app.defaultAuthentication?.()
): Configuration {
  return (
    auth?.configuration ?? {
      entity: 'user',
      entityId: app.services.users?.id ?? 'id'
    }
  )
}

/** Ids of some databases are instances of a class. */
function isInstance(id: unknown): boolean {
  if (typeof id !== 'object' || id === null || Array.isArray(id)) return false

  return ![Object.prototype, null].includes(Object.getPrototypeOf(id))
}
