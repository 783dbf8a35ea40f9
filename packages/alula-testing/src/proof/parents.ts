// Whether the records of a service are in the path of their own parent alone.
import type { Application } from 'alula'
import { getErrorStatus, type ManifestService } from 'alula/plugin'
import type { Made } from './difference.ts'
import { hasRecord } from './leaks.ts'
import { isStandard, type Operation, toKey, toName } from './operation.ts'
import { type Call, NO_ID, type Targets } from './target.ts'

/** A call whose path names another parent, or one that is not there. */
export interface Misplaced {
  readonly call: Call
  /** What its response must not be; `undefined` where nothing is wrong. */
  readonly findFault: (made: Made) => string | undefined
}

type Parents = NonNullable<ManifestService['parent']>

/**
 * Prepares a call that must not succeed, or says what has to be given to make it: with the parent of another record, or for a
 * method that is not about a record of the service, with one that is not there. `field` holds the id of the parent.
 */
export async function prepareMisplaced(
  app: Application,
  targets: Targets,
  operation: Operation,
  field: string,
  { service: path, placeholder }: Parents[string]
): Promise<Misplaced | string> {
  const { service, name } = operation
  const call = await targets.prepare(operation)
  const withParent = (value: string | number): Call => ({
    ...call,
    route: { ...call.route, [placeholder]: String(value) }
  })

  if (!isStandard(operation) || name === 'create') {
    const missing = getErrorStatus(app, 'NotFound')

    return {
      call: withParent(NO_ID),
      findFault: ({ reply: { status } }) =>
        status === missing
          ? undefined
          : `the path names a record of '${path}' that is not there, and the response is ${status}`
    }
  }

  const record = call.record as { readonly [field: string]: unknown } | undefined

  if (record?.[field] === undefined || record[field] === null) {
    return `${toName(operation)}: without a record, nothing is proved of the path of another record of '${path}'. Give 'records: { ${toKey(service.path)}: () => … }', which returns a record with '${field}'`
  }

  const other = await targets.findOtherParent(service, placeholder, record)

  if (other === undefined) {
    return `${toName(operation)}: '${path}' has no other record. Give 'records: { ${toKey(path)}: () => … }', which makes a record for each call`
  }

  return {
    call: withParent(other),
    findFault: ({ reply: { status, result } }) => {
      const isThere = status < 400 && (name !== 'find' || hasRecord(service, record, result))

      return isThere || status >= 500
        ? `the path names another record of '${path}', and the response is ${status}`
        : undefined
    }
  }
}
