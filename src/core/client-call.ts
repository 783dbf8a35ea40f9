import { getSlots } from '../utils/call-state.ts'
import type { ServiceCall } from './methods.ts'
import type { Params } from './types.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** The call that a transport has made. */
    readonly clientCall?: ServiceCall
  }
}

/** Whether a call was made by a transport: its result goes to a client, and to no other code. */
export function goesToClient(context: object): boolean {
  return getSlots(context).clientCall !== undefined
}

/** The provider of a call: that of its params, or of the client where hooks have taken it away. */
export function getProvider(context: { readonly params: Params }): string | undefined {
  return context.params.provider ?? getSlots(context).clientCall?.params.provider
}

/**
 * A hook that fails calls of clients that are not valid. It runs once the caller is known: callers that may not call a method
 * do not learn what it expects.
 */
export function assertValidCall(context: object): void {
  const { refusal } = getSlots(context).clientCall ?? {}

  if (refusal) throw refusal
}
