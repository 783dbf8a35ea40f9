import type { CallTracer } from '../hooks/method.ts'
import { openTracing } from '../utils/tracing.ts'
import { goesToClient } from './client-call.ts'
import type { HookContext } from './types.ts'

/** The message of the channel `alula:call`; `result` or `error` is added when the call has finished. */
export interface CallMessage {
  readonly path: string
  readonly method: string
  /** The transport; missing for a call that no client has made, also where it has the params of one. */
  readonly provider?: string | undefined
  readonly id?: unknown
  readonly requestId?: string | undefined
  /** The context of the call, which holds its data and params. */
  readonly context: HookContext
  readonly result?: unknown
  readonly error?: unknown
  /** What subscribers of `start` set to run the call in a context of theirs, such as `run` of an `AsyncLocalStorage`. */
  around?: (call: () => Promise<unknown>) => Promise<unknown>
}

const calls = openTracing<CallMessage>('alula:call')

/** Publishes each call of a service on the channel `alula:call`, as long as something watches. */
export const callTracer: CallTracer<HookContext> = {
  get isOn() {
    return calls.hasSubscribers
  },
  run(context, call) {
    const { path, method, params = {}, id } = context
    const { requestId } = params
    // Params that hooks pass on are those of a client, and their calls are not.
    const provider = goesToClient(context) ? params.provider : undefined
    const message: CallMessage = { path, method, provider, id, requestId, context }

    return calls.tracePromise(() => (message.around ? message.around(call) : call()), message)
  }
}
