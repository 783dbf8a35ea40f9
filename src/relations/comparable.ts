// The fields that a relation compares can be equal.
import type { Application } from '../core/types.ts'
import { getSchemaDefinition, type SchemaDefinition } from '../schema/compile.ts'
import { toExpectation, toField } from '../schema/fields.ts'
import { getProperties, getTypes, type JsonSchema, mayBeSomething } from '../schema/json-schema.ts'
import { getThrough, type Relation } from '../schema/relation.ts'
import { readShape } from '../schema/shape.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { type Compared, listCompared } from './ends.ts'

/** The service that has relations, and what its schema says. */
export interface RelatedService {
  readonly path: string
  readonly definition: SchemaDefinition
}

/** Checks that the fields that a relation compares may have equal values. Throws a TypeError that names both fields. */
export function assertComparable(
  title: string,
  relation: Relation,
  own: RelatedService,
  app: Application
): void {
  // Of a table without a service no schema says anything.
  if (getThrough(relation)?.table !== undefined) return

  const toSide = ({ path, field }: Compared): Side =>
    path === undefined
      ? { path: own.path, field, record: own.definition.record }
      : { path, field, record: getSchemaDefinition(app.service(path))?.record }

  for (const [one, other] of listCompared({ app, service: app.services[own.path] }, relation)) {
    assertSameKind(title, toSide(one), toSide(other))
  }
}

/** One of two fields that a relation compares. */
interface Side {
  readonly path: string
  readonly field: string
  /** The schema of its record, where there is one. */
  readonly record: JsonSchema | undefined
}

/** A string and a number are never equal to a database. */
function assertSameKind(title: string, one: Side, other: Side): void {
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
export function isCompound(record: JsonSchema, field: string): boolean {
  const parts = listAlternatives(record, field).filter(mayBeSomething)
  const isList = (part: JsonSchema) =>
    getTypes(part)
      .filter((type) => type !== 'null')
      .join() === 'array'

  return parts.length > 0 && parts.every((part) => getProperties(part).size > 0 || isList(part))
}

/** What the value of a field may be, each one resolved. */
function listAlternatives(record: JsonSchema, field: string): readonly JsonSchema[] {
  return readShape(record).object.fields.get(field)?.alternatives ?? []
}
