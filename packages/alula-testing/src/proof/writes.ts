import type { EventEmitter } from 'node:events'
import { isFunction, isObject } from '../check.ts'

/** The events of standard methods: their data has hidden fields too. */
const EVENTS = ['created', 'updated', 'patched', 'removed']

/** Runs a call, and collects the records that a service writes meanwhile. */
export async function recordWrites<Result>(
  service: Partial<EventEmitter>,
  run: () => Promise<Result>
): Promise<readonly [Result, readonly object[]]> {
  const written: object[] = []
  const listen = (record: unknown) => {
    if (isObject(record)) written.push(record)
  }

  if (!isFunction(service.on)) return [await run(), written]

  for (const event of EVENTS) service.on(event, listen)

  try {
    return [await run(), written]
  } finally {
    for (const event of EVENTS) service.off?.(event, listen)
  }
}
