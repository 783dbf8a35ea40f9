// What is wrong with relations is said when the application starts: later, related records would be missing without a word.
import { getIdField, getServiceOptions } from '../core/service.ts'
import type { Application, Params } from '../core/types.ts'
import { toNames } from '../schema/alternatives.ts'
import { getSchemaDefinition, isFieldTable, type SchemaDefinition } from '../schema/compile.ts'
import type { DescribedExtension } from '../schema/declared.ts'
import { toExpectation, toField } from '../schema/fields.ts'
import { getProperties, getTypes, isOpenObject, type JsonSchema } from '../schema/json-schema.ts'
import { getThrough, type Relation } from '../schema/relation.ts'
import { createShapes } from '../schema/shape.ts'
import { isFunction } from '../utils/check.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'

/** The service that has relations, and what its schema says. */
export interface RelatedService {
  readonly path: string
  readonly definition: SchemaDefinition
}

/**
 * Checks that the services of relations are there, that clients may query what relations ask for, and that the fields that
 * a relation compares can be equal. The services may be set up in any order: the tables of others are read first.
 *
 * @param app The application, when it is set up
 * @param own The service that has the relations
 * @param params Those of the call, where the first call of a service has its relations checked
 * @throws Error that names the relation and what it needs
 */
export async function assertRelations(app: Application, own: RelatedService, params: Params): Promise<void> {
  const { relations } = own.definition
  const paths = new Set(Object.values(relations).flatMap(listPaths))

  for (const path of paths) await readDefinition(app, path, params)

  for (const [name, relation] of Object.entries(relations)) {
    const title = `The relation '${name}' of service '${own.path}'`

    assertStart(title, relation, own)
    assertServices(title, relation, app)
    assertFields(title, relation, app)
    for (const [one, other] of listCompared(relation, own, app)) assertComparable(title, one, other)
  }
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

function assertStart(title: string, { from }: Relation, { definition }: RelatedService): void {
  if (from === undefined || !isCompound(definition.record, from)) return

  throw createTypeError(
    'ALULA_INVALID_RELATION',
    `${title} starts from '${from}', which is an object or a list: it needs a single value, such as an id`
  )
}

function assertServices(title: string, relation: Relation, { services }: Application): void {
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

function assertFields(title: string, relation: Relation, { services }: Application): void {
  const through = getThrough(relation)
  const linked = through && getSchemaDefinition(services[through.path])?.record
  const unlinked = linked && [through.from, through.to].find((field) => !toNames(linked).includes(field))

  if (unlinked !== undefined) {
    throw createError(
      'ALULA_UNKNOWN_FIELD',
      `${title} asks '${through?.path}' for '${unlinked}', which its schema does not declare`
    )
  }

  const related = getSchemaDefinition(services[relation.path])

  if (!related) return

  if (isFieldTable(related.query)) {
    const { fields } = related.query
    const asked = [relation.to ?? [], 'filter' in relation ? relation.filter : []].flat()
    const missing = asked.find((field) => !Object.hasOwn(fields, field))

    if (missing === undefined) return

    throw createError(
      'ALULA_UNKNOWN_FIELD',
      `${title} asks '${relation.path}' for '${missing}', which its clients cannot query`
    )
  }

  if (relation.to !== undefined && related.hidden.includes(relation.to)) {
    throw createError(
      'ALULA_UNKNOWN_FIELD',
      `${title} asks '${relation.path}' for '${relation.to}', which its schema hides: a count would tell of it`
    )
  }

  // A schema for queries says nothing of it: no client has written the query of a relation.
  if (relation.to !== undefined && !mayHave(related, relation.to)) {
    throw createError(
      'ALULA_UNKNOWN_FIELD',
      `${title} asks '${relation.path}' for '${relation.to}', which its schema does not declare`
    )
  }
}

/** One of two fields that a relation compares. */
interface Side {
  readonly path: string
  readonly field: string
  /** The schema of its record, where there is one. */
  readonly record: JsonSchema | undefined
}

function listCompared(
  relation: Relation,
  own: RelatedService,
  { services }: Application
): readonly (readonly [Side, Side])[] {
  const toSide = (path: string, field: string | undefined): Side => {
    const service = services[path]

    return { path, field: field ?? getIdField(service), record: getSchemaDefinition(service)?.record }
  }
  const start = { ...toSide(own.path, relation.from), record: own.definition.record }
  const end = toSide(relation.path, relation.to)
  const through = getThrough(relation)

  if (!through) return [[start, end]]

  return [
    [start, toSide(through.path, through.from)],
    [toSide(through.path, through.to), end]
  ]
}

/** A string and a number are never equal to a database. */
function assertComparable(title: string, one: Side, other: Side): void {
  const [first, second] = [toComparedField(one), toComparedField(other)]
  const families = first && toFamilies(first.kinds)

  if (!second || !families || toFamilies(second.kinds).some((family) => families.includes(family))) return

  const describe = ({ path, field }: Side, { kinds }: ComparedField) =>
    `'${field}' of '${path}' (${toExpectation(kinds, false)})`

  throw createTypeError(
    'ALULA_INVALID_RELATION',
    `${title} compares ${describe(one, first)} with ${describe(other, second)}, whose kinds differ`
  )
}

type ComparedField = ReturnType<typeof toField>

/** The field, where its schema tells all that it may be. */
function toComparedField({ record, field }: Side): ComparedField | undefined {
  if (!record) return undefined

  const compared = toField(listAlternatives(record, field))

  // An object may stand for an id of a database.
  return compared.mayBeObject || compared.kinds.length === 0 || compared.kinds.includes('any')
    ? undefined
    : compared
}

/** Kinds whose values may be equal have the same name. A date leaves as a string, so it may be declared as one. */
function toFamilies(kinds: ComparedField['kinds']): readonly string[] {
  return kinds.map((kind) => (kind === 'integer' ? 'number' : kind === 'date' ? 'string' : kind))
}

/** Whether a field is never a single value. An object without properties may stand for an id of a database. */
function isCompound(record: JsonSchema, field: string): boolean {
  const parts = listAlternatives(record, field)
    .map((part) => ({ part, types: getTypes(part).filter((type) => type !== 'null') }))
    .filter(({ part, types }) => types.length > 0 || !getTypes(part).includes('null'))

  return (
    parts.length > 0 &&
    parts.every(({ part, types }) => getProperties(part).size > 0 || types.join() === 'array')
  )
}

/** What the value of a field may be, each one resolved. */
function listAlternatives(record: JsonSchema, field: string): readonly JsonSchema[] {
  return createShapes(record)(record).object.fields.get(field)?.alternatives ?? []
}

function mayHave({ record, extra }: SchemaDefinition, name: string): boolean {
  return extra === 'keep' || isOpenObject(record) || toNames(record).includes(name)
}
