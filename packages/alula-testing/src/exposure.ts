import { type Application, defaultServiceMethods, type Id } from 'alula'
import { type ExposureRow, exposure } from 'alula/access'
import {
  assertApplication,
  assertOptions,
  createTypeError,
  didYouMean,
  getPath,
  type ManifestMethod,
  type OptionChecks,
  readEntityId,
  readServices
} from 'alula/plugin'
import { handleSocket } from 'alula/transport'
import { ANONYMOUS, assertUsers, type Caller, createCaller, getEntityPath, type Users } from './callers.ts'
import { hasCode, isFunction, isObject } from './check.ts'

/** Who calls, and what they call for. */
export interface ProofOptions {
  /** Entities of the application, as their service returns them. */
  readonly users?: {
    /** A user without a role, who owns none of `records`. */
    readonly user?: object
    /** The user who owns `records`. */
    readonly owner?: object
    /** A user who has the roles of the table. */
    readonly admin?: object
  }
  /** By the path of a service, the id of a record that is changed and removed; ids that are not there when left out. */
  readonly records?: { readonly [path: string]: Id }
  /** By the path of a service, the data of writes; `{}` when left out. */
  readonly data?: { readonly [path: string]: object }
}

const CHECKS: OptionChecks = {
  users: [isObject, 'an object with entities as user, owner and admin'],
  records: [isObject, 'an object with ids by the paths of services'],
  data: [isObject, 'an object with data by the paths of services']
}

const USER_NAMES: readonly string[] = ['user', 'owner', 'admin']

/** A row of the table, and how its method is called. */
interface Operation extends ExposureRow, Pick<ManifestMethod, 'args' | 'verb' | 'routes'> {}

interface Reply {
  readonly status: number
  /** What the call returned, where it succeeded. */
  readonly result?: unknown
}

/** Whether a response is one that the table lets a caller have. */
type Rule = (reply: Reply) => boolean

/** An id that no record has. */
const NO_ID = '2147483000'

/**
 * Calls every method of an application over every transport, as nobody and as its users, and compares the responses
 * with the table of `exposure`. The calls are real: records are written and removed. Each call has a login of its own.
 * The service of the users comes last, with its `remove` at the end, and a user who is removed makes no more calls.
 *
 * @param app An application for tests, set up
 * @param options The users, and the records and data to use
 * @throws Error with one line for each difference, TypeError for options that are not valid, such as a record that is not
 * there
 * @example
 * await proveExposure(app, { users: { user, owner, admin }, records: { notes: note.id } })
 */
export async function proveExposure(app: Application, options: ProofOptions = {}): Promise<void> {
  assertApplication('proveExposure', app)
  assertOptions('proveExposure', options, CHECKS)
  if (options.users) {
    assertOptions('proveExposure', options.users, {}, { further: USER_NAMES, under: 'users' })
  }

  const rows = exposure(app)
  const users: Users = { ...options.users }

  assertServices(app, rows, options)
  await assertRecords(app, options)
  await assertUsers(app, users)

  const names = [ANONYMOUS, ...Object.keys(users)]
  const differences: string[] = []

  for (const row of listOperations(app, rows)) {
    for (const transport of row.transports) {
      for (const name of names) {
        const caller = await createCaller(app, name, users)

        if (!caller) continue

        const isExpected = toRule(app, row, caller, options)
        const reply = await (transport === 'rest'
          ? request(row, caller, options)
          : send(app, row, caller, options))

        if (isExpected(reply)) continue

        differences.push(
          `${row.service}.${row.method} over ${transport} as ${caller.name}: the table says ${row.who}, the response is ${reply.status}`
        )
      }
    }
  }

  if (differences.length > 0) throw new Error(differences.join('\n'))
}

/** Logins are left out: they say 401 by themselves, and a logout would end that of the caller. */
function listOperations(app: Application, rows: readonly ExposureRow[]): readonly Operation[] {
  const services = new Map(readServices(app).map((service) => [service.path, service]))

  return rows
    .flatMap((row) => {
      const service = services.get(row.service)
      const method = service?.methods.find(({ name }) => name === row.method)

      return method && !service?.hasOwnAccess
        ? [{ ...row, args: method.args, verb: method.verb, routes: method.routes }]
        : []
    })
    .toSorted((one, other) => toRank(app, one) - toRank(app, other))
}

/** A misspelt path would leave out what the proof is for. */
function assertServices(app: Application, rows: readonly ExposureRow[], options: ProofOptions): void {
  const paths = [...Object.keys(app.services), ...rows.map(({ service }) => service)]

  for (const name of ['records', 'data'] as const) {
    const unknown = Object.keys(options[name] ?? {}).find((path) => !paths.includes(path))

    if (unknown !== undefined) {
      throw createTypeError(
        'ALULA_INVALID_OPTION',
        `Invalid option '${name}' of proveExposure: the application has no service '${unknown}'${didYouMean(unknown, paths)}`
      )
    }
  }
}

/** For a record that is not there, every caller gets a 404, which proves nothing. */
async function assertRecords(app: Application, { records = {} }: ProofOptions): Promise<void> {
  for (const [path, id] of Object.entries(records)) {
    const service = app.service(path)
    const error: unknown =
      isFunction(service.get) &&
      (await service.get(id).then(
        () => undefined,
        (reason) => reason
      ))

    if (!hasCode(error, 404)) continue

    throw createTypeError(
      'ALULA_INVALID_OPTION',
      `Invalid option 'records' of proveExposure: '${path}' has no record '${id}'`
    )
  }
}

/** Services of users come last, because a call that changes or removes a user changes what that user may do. */
function toRank(app: Application, { service, method }: ExposureRow): number {
  if (service !== getEntityPath(app)) return 0

  return method === 'remove' ? 2 : 1
}

/** What the table lets a caller have. Of a function of the application nothing is known. */
function toRule(
  app: Application,
  { who, service, method }: ExposureRow,
  { name, entity }: Caller,
  options: ProofOptions
): Rule {
  const [, field] = /^owner\('(.*)'\)/.exec(who) ?? []
  const [, role] = /^role\('(.*)'\)$/.exec(who) ?? []

  if (who === 'nobody') return isRefused
  if (who === 'anyone') return isAdmitted
  if (who === 'user' || who.startsWith('hook authenticate(')) return entity ? isAdmitted : isUnauthenticated
  if (role !== undefined) {
    return !entity ? isUnauthenticated : hasRole(entity, role) ? isAdmitted : ({ status }) => status === 403
  }
  if (field === undefined) return () => true
  if (!entity) return isUnauthenticated
  if (method === 'find') return isAdmitted
  if (name === 'owner') return isWhole(method) && !options.data?.[service] ? () => true : isAdmitted

  return ({ status, result }) =>
    status === 400 ||
    status === 403 ||
    status === 404 ||
    // A hook of the application may name the owner.
    (method === 'create' && belongsTo(app, entity, result, field))
}

function belongsTo(app: Application, entity: object, record: unknown, field: string): boolean {
  const id = readEntityId(app, entity)

  return id !== undefined && getPath(record, field.split('.')) === id
}

function isRefused({ status }: Reply): boolean {
  return status === 401 || status === 403
}

/** Whatever becomes of the call then: no such record, data that is not valid. */
function isAdmitted(reply: Reply): boolean {
  return !isRefused(reply) && reply.status < 500
}

/** Whether the data of a method is a whole record: without an owner it belongs to no user. */
function isWhole(method: string): boolean {
  return method === 'create' || method === 'update'
}

function isUnauthenticated({ status }: Reply): boolean {
  return status === 401
}

function hasRole(entity: object, role: string): boolean {
  return Object.values(entity).some((value) => [value].flat().includes(role))
}

async function request(row: Operation, { client }: Caller, options: ProofOptions): Promise<Reply> {
  const { args, verb } = row
  const path = args.includes('id') ? `${toPath(row)}/${toId(row, options)}` : toPath(row)
  // The path of a service at the root is a slash.
  const response = await client.fetch(`/${path}`.replace(/^\/+/, '/'), {
    method: verb,
    ...(args.includes('data') && { json: toRequestData(row, options) }),
    headers: defaultServiceMethods.includes(row.method) ? {} : { 'X-Service-Method': row.method }
  })

  return {
    status: response.status,
    ...(response.ok && { result: await response.json().catch(() => undefined) })
  }
}

async function send(
  app: Application,
  row: Operation,
  { client }: Caller,
  options: ProofOptions
): Promise<Reply> {
  const { authentication } = client.params
  const values = { id: toId(row, options), data: toRequestData(row, options), params: {} }
  const [error, result] = await handleSocket(
    app as Parameters<typeof handleSocket>[0],
    {
      method: row.method,
      path: toPath(row),
      args: row.args.map((name) => values[name]),
      connection: { provider: 'socketio', headers: {}, ...(authentication && { authentication }) }
    },
    () => undefined
  )

  return error ? { status: toStatus(error) } : { status: 200, result }
}

function toStatus(error: object): number {
  return isObject(error) && typeof error.code === 'number' ? error.code : 500
}

/** Placeholders stand for anything. */
function toPath({ service }: ExposureRow): string {
  return service.replaceAll(/:[^/]+/g, '1')
}

function toId({ service }: ExposureRow, { records = {} }: ProofOptions): Id {
  return Object.hasOwn(records, service) ? (records[service] as Id) : NO_ID
}

/** A call by name has the placeholders of a route in its data. */
function toRequestData({ service, routes: [route] }: Operation, { data = {} }: ProofOptions): object {
  const filled = Object.fromEntries((route?.placeholders ?? []).map((name) => [name, '1']))

  return { ...filled, ...(Object.hasOwn(data, service) && data[service]) }
}
