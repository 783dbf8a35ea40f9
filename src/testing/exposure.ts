import { assertApplication } from '../core/assert-application.ts'
import { getDefinition, isStandardMethod } from '../core/methods.ts'
import { getOwnAccess } from '../core/own-access.ts'
import { getMethodRoutes } from '../core/service.ts'
import type { Application, Id } from '../core/types.ts'
import { type ExposureRow, exposure } from '../manifest/exposure.ts'
import { handleSocket } from '../transport/socket.ts'
import { isObject } from '../utils/check.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { createTestClient, loginAs, type TestClient } from './client.ts'

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

interface Caller {
  readonly name: string
  readonly entity?: object
  readonly client: TestClient
}

/** Whether the status of a response is one that the table lets a caller have. */
type Rule = (status: number) => boolean

/** An id that no record has. */
const NO_ID = '2147483000'

/**
 * Calls every method of an application over every transport, as nobody and as its users, and compares the responses
 * with the table of `exposure`. The calls are real: records are written and removed.
 *
 * @param app An application for tests, set up
 * @param options The users, and the records and data to use
 * @throws Error with one line for each difference, TypeError for options that are not valid
 * @example
 * await proveExposure(app, { users: { user, owner, admin }, records: { notes: note.id } })
 */
export async function proveExposure(app: Application, options: ProofOptions = {}): Promise<void> {
  assertApplication('proveExposure', app)
  assertOptions('proveExposure', options, CHECKS)

  const callers = await createCallers(app, options)
  const differences: string[] = []

  for (const row of exposure(app)) {
    // A login says 401 by itself, and a logout would end that of the caller.
    if (getOwnAccess(app.service(row.service))) continue

    for (const transport of row.transports) {
      for (const caller of callers) {
        const isExpected = toRule(row, caller, options)
        const status = await (transport === 'rest' ? request : send)(app, row, caller, options)

        if (isExpected(status)) continue

        differences.push(
          `${row.service}.${row.method} over ${transport} as ${caller.name}: the table says ${row.who}, the response is ${status}`
        )
      }
    }
  }

  if (differences.length > 0) throw new Error(differences.join('\n'))
}

async function createCallers(app: Application, { users = {} }: ProofOptions): Promise<readonly Caller[]> {
  const callers: Caller[] = [{ name: 'nobody', client: createTestClient(app) }]

  for (const [name, entity] of Object.entries(users)) {
    callers.push({ name, entity, client: await loginAs(app, entity) })
  }

  return callers
}

/** What the table lets a caller have. Of a function of the application nothing is known. */
function toRule(
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
    return !entity ? isUnauthenticated : hasRole(entity, role) ? isAdmitted : (status) => status === 403
  }
  if (field === undefined) return () => true
  if (!entity) return isUnauthenticated
  if (method === 'find') return isAdmitted
  if (name === 'owner') return isWhole(method) && !options.data?.[service] ? () => true : isAdmitted

  return (status) => status === 400 || status === 403 || status === 404
}

function isRefused(status: number): boolean {
  return status === 401 || status === 403
}

/** Whatever becomes of the call then: no such record, data that is not valid. */
function isAdmitted(status: number): boolean {
  return !isRefused(status) && status < 500
}

/** Whether the data of a method is a whole record: without an owner it belongs to no user. */
function isWhole(method: string): boolean {
  return method === 'create' || method === 'update'
}

function isUnauthenticated(status: number): boolean {
  return status === 401
}

function hasRole(entity: object, role: string): boolean {
  return Object.values(entity).some((value) => [value].flat().includes(role))
}

async function request(
  app: Application,
  row: ExposureRow,
  { client }: Caller,
  options: ProofOptions
): Promise<number> {
  const { args, verb } = getDefinition(row.method)
  const path = args.includes('id') ? `${toPath(row)}/${toId(row, options)}` : toPath(row)
  // The path of a service at the root is a slash.
  const { status } = await client.fetch(`/${path}`.replace(/^\/+/, '/'), {
    method: verb,
    ...(args.includes('data') && { json: toData(app, row, options) }),
    headers: isStandardMethod(row.method) ? {} : { 'X-Service-Method': row.method }
  })

  return status
}

async function send(
  app: Application,
  row: ExposureRow,
  { client }: Caller,
  options: ProofOptions
): Promise<number> {
  const { authentication } = client.params
  const values = { id: toId(row, options), data: toData(app, row, options), params: {} }
  const [error] = await handleSocket(
    app as Parameters<typeof handleSocket>[0],
    {
      method: row.method,
      path: toPath(row),
      args: getDefinition(row.method).args.map((name) => values[name]),
      connection: { provider: 'socketio', headers: {}, ...(authentication && { authentication }) }
    },
    () => undefined
  )

  return error ? toStatus(error) : 200
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
function toData(app: Application, { service, method }: ExposureRow, { data = {} }: ProofOptions): object {
  const [route] = getMethodRoutes(app.service(service), method)
  const filled = Object.fromEntries((route?.placeholders ?? []).map((name) => [name, '1']))

  return { ...filled, ...(Object.hasOwn(data, service) && data[service]) }
}
