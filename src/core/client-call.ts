import type { ServiceCall } from './methods.ts'

const CLIENT_CALL: unique symbol = Symbol('client call')

/** The context of a call, as far as the call of the client is concerned. */
interface ClientContext {
  [CLIENT_CALL]?: ServiceCall
}

/** Keeps the call that a transport has made on its context. */
export function setClientCall(context: object, call: ServiceCall): void {
  ;(context as ClientContext)[CLIENT_CALL] = call
}

/** Whether a call was made by a transport: its result goes to a client, and to no other code. */
export function goesToClient(context: object): boolean {
  return CLIENT_CALL in context
}

/**
 * A hook that fails the calls of clients that are not valid. It runs once their callers are known: what a method expects is not
 * said to those who may not call it.
 *
 * @throws The error of the call
 */
export function assertValidCall(context: object): void {
  const { refusal } = (context as ClientContext)[CLIENT_CALL] ?? {}

  if (refusal) throw refusal
}
