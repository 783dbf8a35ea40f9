// What services and applications are as emitters of events: a type of our own, so that TypeScript needs no types of Node.

/** Runs when an event is emitted. */
export type EventListener = (...args: any[]) => void

/** The event emitter of Node, as a type. Applications and services are one. */
export interface Emitter {
  on(event: string | symbol, listener: EventListener): this
  once(event: string | symbol, listener: EventListener): this
  off(event: string | symbol, listener: EventListener): this
  addListener(event: string | symbol, listener: EventListener): this
  removeListener(event: string | symbol, listener: EventListener): this
  removeAllListeners(event?: string | symbol): this
  prependListener(event: string | symbol, listener: EventListener): this
  prependOnceListener(event: string | symbol, listener: EventListener): this
  setMaxListeners(count: number): this
  getMaxListeners(): number
  listeners(event: string | symbol): EventListener[]
  rawListeners(event: string | symbol): EventListener[]
  emit(event: string | symbol, ...args: any[]): boolean
  listenerCount(event: string | symbol, listener?: EventListener): number
  eventNames(): (string | symbol)[]
}
