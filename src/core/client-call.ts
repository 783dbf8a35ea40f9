import { getSlots, setSlots } from '../utils/call-state.ts'
import type { ServiceCall } from './methods.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** The call that a transport has made. */
    readonly clientCall?: ServiceCall
  }
}

/** Keeps the call that a transport has made on its context. */
export function setClientCall(context: object, call: ServiceCall): void {
  setSlots(context, { clientCall: call })
}

/** Whether a call was made by a transport: its result goes to a client, and to no other code. */
export function goesToClient(context: object): boolean {
  return getSlots(context).clientCall !== undefined
}

/**
 * A hook that fails calls of clients that are not valid. It runs once the caller is known: callers that may not call a method
 * do not learn what it expects.
 *
 * @throws The error of the call
 */
export function assertValidCall(context: object): void {
  const { refusal } = getSlots(context).clientCall ?? {}

  if (refusal) throw refusal
}
