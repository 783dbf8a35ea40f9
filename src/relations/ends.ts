import { getIdField } from '../core/service.ts'
import type { Application } from '../core/types.ts'
import { parseQuery } from '../query/parse.ts'
import { hasLinks, type ListRules } from '../query/related.ts'
import { getThrough, type ListOrder, type Relation } from '../schema/relation.ts'

/** The two fields whose values a relation compares, or compares with those of records that link. */
export interface Ends {
  /** That of the record. */
  readonly from: string
  /** That of the related record. */
  readonly to: string
  /** The service of the related record. */
  readonly related: object
}

/** The fields at the two ends of a relation: where it names none, that is the id of the service. */
export function getEnds(
  { app, service }: { readonly app: Application; readonly service: object },
  relation: Relation
): Ends {
  const related: object = app.service(relation.path)

  return {
    from: relation.from ?? getIdField(service),
    to: relation.to ?? getIdField(related),
    related
  }
}

/** One of two fields that a relation compares. */
export interface Compared {
  /** What has the records: a service, or the rows of a table; `undefined` for a table that the service of the record cannot read. */
  readonly records: object | undefined
  /** The path of the service; `undefined` for the one that has the relation, and for a table without a service. */
  readonly path?: string
  readonly field: string
}

/**
 * The pairs of fields that a relation compares: those of the record and of the related one, or each with that of what links.
 */
export function listCompared(
  { app, service }: { readonly app: Application; readonly service: object },
  relation: Relation
): readonly (readonly [Compared, Compared])[] {
  const { path } = relation
  const { from, to, related } = getEnds({ app, service }, relation)
  const start: Compared = { records: service, field: from }
  const end: Compared = { records: related, path, field: to }
  const through = getThrough(relation)

  if (!through) return [[start, end]]

  const links =
    through.path === undefined
      ? { records: hasLinks(service) ? service.asLinks(through.table, through.from, {}) : undefined }
      : { records: app.service(through.path), path: through.path }

  return [
    [start, { ...links, field: through.from }],
    [{ ...links, field: through.to }, end]
  ]
}

/**
 * The order of the records of each list, as `$sort` has it: the id decides last. `undefined` where they are in the order of
 * their ids alone.
 */
export function getListSort(app: Application, relation: Relation): ListOrder | undefined {
  if (relation.kind !== 'many' || !relation.sort) return undefined

  const id = getIdField(app.service(relation.path))

  return Object.hasOwn(relation.sort, id) ? relation.sort : { ...relation.sort, [id]: 1 }
}

/** Which of the related records each list has; `undefined` where it has all of them, in the order of their ids. */
export function getListRules(app: Application, relation: Relation): ListRules | undefined {
  if (relation.kind !== 'many' || !(relation.sort || relation.limit)) return undefined

  return { sort: parseQuery({ $sort: getListSort(app, relation) }).sort, limit: relation.limit }
}
