import { getIdField } from '../core/service.ts'
import type { Application } from '../core/types.ts'
import { parseQuery } from '../query/parse.ts'
import type { ListRules } from '../query/related.ts'
import { getFrom, type ListOrder, type Relation } from '../schema/relation.ts'

/** The two fields whose values a relation compares, or compares with those of records that link. */
export interface Ends {
  /** That of the record. */
  readonly from: string
  /** That of the related record. */
  readonly to: string
}

/**
 * The fields at the two ends of a relation: where it names none, that is the id of the service.
 *
 * @param place The application, and the service that has the relation
 * @param relation The relation
 */
export function getEnds(
  { app, service }: { readonly app: Application; readonly service: object },
  relation: Relation
): Ends {
  return {
    from: getFrom(relation, getIdField(service)),
    to: relation.to ?? getIdField(app.service(relation.path))
  }
}

/**
 * The order of the records of each list, as `$sort` has it: the id decides last.
 *
 * @param app The application
 * @param relation The relation
 * @returns `undefined` where they are in the order of their ids alone
 */
export function getListSort(app: Application, relation: Relation): ListOrder | undefined {
  if (relation.kind !== 'many' || !relation.sort) return undefined

  const id = getIdField(app.service(relation.path))

  return Object.hasOwn(relation.sort, id) ? relation.sort : { ...relation.sort, [id]: 1 }
}

/**
 * Which of the related records each list has.
 *
 * @param app The application
 * @param relation The relation
 * @returns `undefined` where it has all of them, in the order of their ids
 */
export function getListRules(app: Application, relation: Relation): ListRules | undefined {
  if (relation.kind !== 'many' || !(relation.sort || relation.limit)) return undefined

  return { sort: parseQuery({ $sort: getListSort(app, relation) }).sort, limit: relation.limit }
}
