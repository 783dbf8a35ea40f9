// What services, applications and channels are as emitters of events. The type is our own, so that TypeScript needs no
// types of Node.
import { EventEmitter } from 'events'

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

/** The class of event emitters. */
export const EmitterClass: new () => Emitter = EventEmitter
