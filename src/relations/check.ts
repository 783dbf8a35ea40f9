// What is wrong with relations is said when the application starts: later, related records would be missing without a word.
import { reportMistake } from '../core/events.ts'
import { getLayers, isRefused } from '../core/gate.ts'
import { getServiceOptions } from '../core/service.ts'
import type { Application, Params } from '../core/types.ts'
import { getTraits } from '../hooks/traits.ts'
import { hasLinks } from '../query/related.ts'
import { toNames } from '../schema/alternatives.ts'
import { getSchemaDefinition, isFieldTable, mayHaveMore } from '../schema/compile.ts'
import type { DescribedExtension } from '../schema/declared.ts'
import { getThrough, type LinkFields, type Relation } from '../schema/relation.ts'
import { listStored } from '../schema/stored.ts'
import { isFunction } from '../utils/check.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { getFirstName } from '../utils/object.ts'
import { toInternal } from './ask.ts'
import { assertComparable, isCompound, type RelatedService } from './comparable.ts'
import { findTelling, type Telling } from './hidden.ts'
import { findFault } from './include.ts'

/** A relation that is checked, and what has it. */
interface Checked {
  /** What messages call it. */
  readonly title: string
  readonly relation: Relation
  readonly app: Application
  readonly own: RelatedService
  /** What a table is asked with: another call could wait for the connection that a transaction holds. */
  readonly params: object
}

/**
 * Checks that the services of relations are there, that they have the fields that relations ask for, that the fields that a
 * relation compares can be equal, and that some client could find what it leads to. The services may be set up in any order:
 * the tables of others are read first. `params` are those of the call, where the first call of a service has its relations
 * checked. Throws an Error that names the relation and what it needs.
 */
export async function assertRelations(app: Application, own: RelatedService, params: Params): Promise<void> {
  const { relations, include } = own.definition
  const paths = new Set(Object.values(relations).flatMap(listPaths))

  for (const path of paths) await readDefinition(app, path, params)

  for (const [name, relation] of Object.entries(relations)) {
    const title = `The relation '${name}' of service '${own.path}'`
    const checked = { title, relation, app, own, params: toInternal(params) }

    assertStart(checked)
    assertServices(checked)
    await assertLinks(checked)
    assertEnd(checked)
    assertFilters(checked)
    await assertStoredFields(checked)
    assertComparable(title, relation, own, app)
    warnOfUnreachable(checked)
  }

  const fault = findFault(app, include, relations)

  if (fault !== undefined)
    throw createError('ALULA_INVALID_RELATION', `'include' in the schema of service '${own.path}' ${fault}`)
}

/** One that cannot be read now says nothing: the set-up and the calls of its own service say why. */
async function readDefinition({ services }: Application, path: string, params: Params): Promise<void> {
  const service = Object.hasOwn(services, path) ? services[path] : {}
  const schema = getServiceOptions(service)?.schema as Partial<DescribedExtension> | undefined

  await schema?.readDefinition?.(params).catch(() => undefined)
}

function listPaths(relation: Relation): readonly string[] {
  return [relation.path, getThrough(relation)?.path ?? []].flat()
}

function assertStart({ title, relation: { from }, own }: Checked): void {
  if (from === undefined || !isCompound(own.definition.record, from)) return

  throw createTypeError(
    'ALULA_INVALID_RELATION',
    `${title} starts from '${from}', which is an object or a list: it needs a single value, such as an id`
  )
}

function assertServices({ title, relation, app: { services } }: Checked): void {
  for (const path of listPaths(relation)) {
    if (!Object.hasOwn(services, path)) {
      throw createError(
        'ALULA_UNKNOWN_SERVICE',
        `${title} needs the service '${path}', which is not registered${didYouMean(path, Object.keys(services))}`
      )
    }
    if (!isFunction(services[path].find)) {
      throw createError('ALULA_UNKNOWN_METHOD', `${title} needs the method 'find' of '${path}'`)
    }
  }
}

/** What links has both fields. */
async function assertLinks(checked: Checked): Promise<void> {
  const { title, relation, app } = checked
  const through = getThrough(relation)

  if (through?.table !== undefined) return await assertTable(checked, through)

  const declared = through && getSchemaDefinition(app.services[through.path])
  const names = declared ? toNames(declared.record) : []
  const missing = declared && [through.from, through.to].find((field) => !names.includes(field))

  if (missing !== undefined) {
    throw createError(
      'ALULA_UNKNOWN_FIELD',
      `${title} asks '${through?.path}' for '${missing}', which its schema does not declare${didYouMean(missing, names)}`
    )
  }
}

async function assertTable(
  { title, app, own, params }: Checked,
  { table, from, to }: LinkFields & { readonly table: string }
): Promise<void> {
  const service = app.services[own.path]

  if (!hasLinks(service)) {
    throw createError(
      'ALULA_INVALID_RELATION',
      `${title} reads the table '${table}', which only a service of alula/kysely can. Register a service for what links, and write through: { path: '…', from: '${from}', to: '${to}' }`
    )
  }

  const source = service.asLinks(table, from, {})
  // A database that is away keeps no application from starting.
  const read = await getTraits(source)
    .stored?.(params)
    .then(
      (stored) => ({ stored }),
      () => undefined
    )

  if (!read) return
  if (!read.stored) {
    return reportMistake(
      app,
      'ALULA_MISSING_TABLE',
      `${title} reads the table '${table}', which is not in the database`,
      undefined
    )
  }

  const names = read.stored.map(({ name }) => name)
  const missing = [from, to].find((name) => !names.includes(name))

  if (missing !== undefined) {
    throw createError(
      'ALULA_UNKNOWN_FIELD',
      `${title} asks the table '${table}' for '${missing}', which is none of its columns${didYouMean(missing, names)}`
    )
  }
}

/** The field that a relation ends at, and those that it sorts by, are there. Whether clients may name them does not matter. */
function assertEnd({ title, relation, app, own }: Checked): void {
  const { path, to } = relation
  const related = getSchemaDefinition(app.services[path])

  if (!related) return

  for (const field of listAsked(relation)) {
    const name = getFirstName(field)
    const says = related.computed.includes(name)
      ? 'which is made for each result, and not stored'
      : !mayHaveMore(related) && !toNames(related.record).includes(name)
        ? `which its schema does not declare${didYouMean(name, toNames(related.record))}`
        : isCompound(related.record, field) && field !== to
          ? 'which is an object or a list, and has no order'
          : undefined

    if (says === undefined) continue

    throw createError('ALULA_UNKNOWN_FIELD', `${title} asks '${path}' for '${field}', ${says}`)
  }

  const telling = findTelling({ app, service: app.services[own.path] }, relation)

  if (telling) throw createError('ALULA_UNKNOWN_FIELD', `${title} ${describeTelling(own, telling)}`)
}

function describeTelling(own: RelatedService, { of, field, by, set, path: writer }: Telling): string {
  const from = (by === 'order' ? of : own.path) === writer ? `'${set}'` : `'${set}' of '${writer}'`

  return by === 'order'
    ? `sorts '${of}' by '${field}', which its schema hides, and clients can set ${from}: by the place that their own values get they could find out those of others. Let the server set ${from}, or sort by another field`
    : `asks '${of}' for '${field}', which its schema hides, by ${from}, which clients can set: they could try values until it finds one. Let the server set ${from}, or name another field`
}

/** The fields of the related service that a relation names itself. */
function listAsked(relation: Relation): readonly string[] {
  return [relation.to ?? [], relation.kind === 'many' ? Object.keys(relation.sort ?? {}) : []].flat()
}

/** Clients name the fields that they filter by. */
function assertFilters({ title, relation, app }: Checked): void {
  const query = getSchemaDefinition(app.services[relation.path])?.query

  if (!query || !isFieldTable(query) || !('filter' in relation)) return

  const names = Object.keys(query.fields)
  const missing = relation.filter.find((field) => !names.includes(field))

  if (missing === undefined) return

  throw createError(
    'ALULA_UNKNOWN_FIELD',
    `${title} asks '${relation.path}' for '${missing}', which its clients cannot query${didYouMean(missing, names)}`
  )
}

/** Where no schema says which fields there are, a table does. */
async function assertStoredFields({ title, relation, app, params }: Checked): Promise<void> {
  const service = app.services[relation.path]
  const asked = listAsked(relation)

  if (asked.length === 0 || getSchemaDefinition(service)) return

  const names = (await listStored(service, params)) ?? asked
  const missing = asked.find((field) => !names.includes(field) && !names.includes(getFirstName(field)))

  if (missing === undefined) return

  const message = `${title} asks '${relation.path}' for '${missing}', which is no column of its table${didYouMean(missing, names)}`

  if (missing !== relation.to) throw createError('ALULA_UNKNOWN_FIELD', message)

  reportMistake(app, 'ALULA_UNREACHABLE_RELATION', `${message}. Its calls fail`, undefined)
}

/** Clients would see nothing, and no error. */
function warnOfUnreachable({ title, relation: { path }, app }: Checked): void {
  const service = app.services[path]
  const { access, methods } = getServiceOptions(service)
  const isClosed = isRefused(getLayers(service, 'find') ?? [])
  const hasRule = access ? access.who?.('find') !== 'nobody' : methods.includes('find')

  if (hasRule && !isClosed) return

  const reason = isClosed
    ? `closed() refuses 'find' of '${path}'`
    : access
      ? `the access of '${path}' has no rule for 'find'`
      : `'${path}' has neither 'find' in its 'methods' nor a rule for it`

  reportMistake(
    app,
    'ALULA_UNREACHABLE_RELATION',
    `${title} is empty for every client: ${reason}. Write access({ find: … }) for '${path}': the rule decides what relations show, and 'methods' need not list 'find'`,
    undefined
  )
}
