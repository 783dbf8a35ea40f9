import { listPlaceholders } from '../core/method-routes.ts'
import { isFieldName } from '../core/service.ts'
import type { Parent, ParentOptions } from '../core/types.ts'
import { isObject, isString } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { assertOption, type OptionCheck } from '../utils/options.ts'
import { stripSlashes } from '../utils/path.ts'

/** The parents of a service by the field that holds the id of the record. */
export interface Parents {
  readonly [field: string]: Parent
}

/**
 * Brings the option `parent` into its long form, in the order of the placeholders. Throws TypeError for another value; an Error
 * for a placeholder that the path does not have, and for one that two fields name.
 */
export function parseParents(path: string, options: ParentOptions): Parents {
  assertOption(`service '${path}'`, 'parent', options, PARENTS)

  const placeholders = listPlaceholders(path)
  const parents = Object.entries(options).map(([field, parent]) => {
    const { service, placeholder = toOnly(path, field, service, placeholders) } = isString(parent)
      ? { service: parent }
      : (parent as Parent)

    if (!placeholders.includes(placeholder)) {
      throw toParentError(
        path,
        field,
        `the path has no placeholder ':${placeholder}'${didYouMean(placeholder, placeholders)}`
      )
    }

    return [field, { service: stripSlashes(service), placeholder }] as const
  })

  for (const [index, [field, { placeholder }]] of parents.entries()) {
    const other = parents.findIndex(([, one]) => one.placeholder === placeholder)

    if (other < index) {
      throw toParentError(
        path,
        field,
        `'${parents[other]?.[0]}' has the placeholder ':${placeholder}' already`
      )
    }
  }

  const toPosition = ([, { placeholder }]: (typeof parents)[number]) => placeholders.indexOf(placeholder)

  return Object.fromEntries(parents.toSorted((one, other) => toPosition(one) - toPosition(other)))
}

const PARENTS: OptionCheck = [
  isParents,
  "for each field the path of a service, or { service: 'articles', placeholder: 'slug' }"
]

function isParents(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([field, parent]) =>
        isFieldName(field) &&
        (isString(parent) || (isObject(parent) && isString(parent.service) && isString(parent.placeholder)))
    )
  )
}

/** The error for a parent that cannot be one. */
export function toParentError(path: string, field: string, reason: string): Error {
  return createError('ALULA_INVALID_PARENT', `Invalid parent '${field}' of service '${path}': ${reason}`)
}

function toOnly(path: string, field: string, service: string, [first, ...others]: readonly string[]): string {
  if (first !== undefined && others.length === 0) return first

  throw toParentError(
    path,
    field,
    first === undefined
      ? `the path has no placeholder: name one, as in 'articles/:slug/comments'`
      : `the path has several placeholders: write { service: '${service}', placeholder: '${others.at(-1)}' }`
  )
}
