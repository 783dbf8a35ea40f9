// What the calls of a proof send.
import { type ManifestService, toAlternatives } from 'alula/plugin'
import { isFunction, isObject } from '../check.ts'

/**
 * Takes the data of one method, about `record`, out of the option `data`. What is for all methods is what `create` takes, and
 * more than `patch` may know: fields that only a new record has are left out there.
 */
export async function toData(
  given: unknown,
  service: ManifestService,
  name: string,
  record: object | undefined
): Promise<object> {
  const data = await toOptions(given, service, name, record)
  const known = name === 'patch' && !isOfMethod(given, service, name) ? listKnown(service) : undefined

  return known ? Object.fromEntries(Object.entries(data).filter(([field]) => known.has(field))) : data
}

/**
 * Takes what is for one method out of an option. A field with the name of a method that holds an object is for that method
 * alone; the others are for all methods.
 */
export async function toOptions(
  given: unknown,
  service: ManifestService,
  name: string,
  record: object | undefined
): Promise<object> {
  if (!isObject(given)) return isFunction(given) ? await make(given, record) : {}
  if (isOfMethod(given, service, name)) return await make(given[name], record)

  return Object.fromEntries(Object.entries(given).filter(([key]) => !isOfMethod(given, service, key)))
}

function isOfMethod(given: unknown, { methods }: ManifestService, key: string): boolean {
  return (
    isObject(given) &&
    methods.some((method) => method.name === key) &&
    (isFunction(given[key]) || isObject(given[key]))
  )
}

/** The fields that the schema of `patch` has; `undefined` where it takes any, or there is none. */
function listKnown({ definition }: ManifestService): ReadonlySet<string> | undefined {
  const schema = definition?.enforce ? definition.data.patch : undefined

  if (!schema) return undefined

  const parts = toAlternatives(schema, schema)
  const isOpen = parts.some(
    ({ properties, patternProperties, additionalProperties }) =>
      !isObject(properties) || patternProperties !== undefined || (additionalProperties ?? false) !== false
  )

  return isOpen ? undefined : new Set(parts.flatMap(({ properties }) => Object.keys(properties as object)))
}

/** A function that returns nothing prepares a record, for a call without data. */
async function make(given: unknown, record: object | undefined): Promise<object> {
  const made = isFunction(given) ? await (given as (record: unknown) => unknown)(record) : given

  return (made ?? {}) as object
}
