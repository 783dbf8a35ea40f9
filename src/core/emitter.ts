// What services, applications and channels are as emitters of events. The type is our own, so that TypeScript needs no
// types of Node.
import { EventEmitter } from 'events'
import { attempt } from '../utils/promise.ts'

/** Runs when an event is emitted. */
export type EventListener = (...args: any[]) => void

/** What an event emitter of Node has beside `on` and `once`. */
export interface Listeners {
  off(event: string | symbol, listener: EventListener): this
  addListener(event: string | symbol, listener: EventListener): this
  removeListener(event: string | symbol, listener: EventListener): this
  removeAllListeners(event?: string | symbol): this
  prependListener(event: string | symbol, listener: EventListener): this
  prependOnceListener(event: string | symbol, listener: EventListener): this
  setMaxListeners(count: number): this
  getMaxListeners(): number
  // biome-ignore lint/complexity/noBannedTypes: as in the types of Node
  listeners(event: string | symbol): Function[]
  // biome-ignore lint/complexity/noBannedTypes: as in the types of Node
  rawListeners(event: string | symbol): Function[]
  emit(event: string | symbol, ...args: any[]): boolean
  listenerCount(event: string | symbol, listener?: EventListener): number
  eventNames(): (string | symbol)[]
}

/** The event emitter of Node, as a type. Applications are one. */
export interface Emitter extends Listeners {
  on(event: string | symbol, listener: EventListener): this
  once(event: string | symbol, listener: EventListener): this
}

/** The part of an emitter that is needed to call its listeners. */
export interface EmitterLike {
  emit(event: string | symbol, ...values: unknown[]): unknown
  rawListeners(event: string | symbol): unknown[]
}

/** The class of event emitters. */
export const EmitterClass: new () => Emitter = EventEmitter

/**
 * Calls every listener, whatever the others do, and returns whether there was one. `report` gets what a listener throws, or
 * rejects with later; `onReturn` gets what each listener returns.
 */
export function callListeners(
  emitter: EmitterLike,
  event: string | symbol,
  values: unknown[],
  report: (error: unknown) => void,
  onReturn?: (returned: unknown) => void
): boolean {
  const listeners = emitter.rawListeners(event) as ((...values: unknown[]) => unknown)[]

  for (const listener of listeners) {
    const returned = attempt(() => listener.apply(emitter, values), report)

    onReturn?.(returned)
  }

  return listeners.length > 0
}
