// What leaves of events: less than a result, because connections get them that did not call.
import { copyMark, replaceObjects, showRecord } from '../utils/dispatch.ts'
import { createHiddenField } from '../utils/hidden-field.ts'
import { withoutJson } from '../utils/object.ts'
import { omitPath, omitPaths } from '../utils/omit.ts'
import { getProtected } from './gate.ts'
import { getInternals, type SentEvent } from './internals.ts'
import { getServiceOptions } from './service.ts'
import type { HookContext } from './types.ts'

/** Keeps fields of a record out of events, wherever the record stands in them. */
export function keepFromEvents(app: object, record: object, listNames: () => readonly string[]): void {
  const internals = getInternals(app)

  internals.partlyPrivate ??= createHiddenField()
  internals.partlyPrivate.keep(record, listNames)
}

/** A value without the fields that are kept from events; the same value where it has none. */
export function withoutPrivateFields(app: object, value: unknown): unknown {
  const { partlyPrivate } = getInternals(app)

  // Most applications have no such record.
  if (!partlyPrivate) return value

  return replaceObjects(value, (object) => {
    const names = (partlyPrivate.get(object)?.() ?? []).filter((name) => Object.hasOwn(object, name))

    return names.length > 0 ? copyWithout(object, names) : object
  })
}

/**
 * The context of an event whose hooks have not said what clients see of it: code has sent the event. It has a dispatch where
 * the service keeps anything from clients.
 */
export function withDispatch(app: object, { service, event, data, context }: SentEvent): HookContext {
  if (context.dispatch !== undefined) return context

  const { schema } = getServiceOptions(service)
  const paths = getProtected(service, context.method).map((path) => path.split('.'))

  if (!schema?.show && paths.length === 0) return context

  const picked = schema?.show ? schema.show(event, data, context) : withoutPrivateFields(app, data)
  const shown = paths.length > 0 ? omitEverywhere(picked, paths) : picked

  return withShown(context, shown)
}

/** A context that shows clients a value. What nothing is left of must not fall back to the result. */
export function withShown(context: HookContext, shown: unknown): HookContext {
  return Object.create(context, { dispatch: { value: shown ?? null, enumerable: true, writable: true } })
}

/** The record is somewhere in the data, or a part of it. */
function omitEverywhere(value: unknown, paths: readonly (readonly string[])[]): unknown {
  return replaceObjects(value, (object) => {
    if (object instanceof Date || ArrayBuffer.isView(object)) return object

    return omitPaths(showRecord(object), paths)
  })
}

function copyWithout(object: object, names: readonly string[]): object {
  const copy: Record<string, unknown> = { ...withoutJson(object) }

  for (const name of names) delete copy[name]
  copyMark(object, copy, (shown) => names.reduce((rest, name) => omitPath(rest, [name]), shown))

  return copy
}
