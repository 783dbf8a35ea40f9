// What the library keeps of a call beside what hooks see: one object under one symbol, on the context and on the params.
// Each folder declares the type of its slots here, with `declare module`, so that this file imports nothing.
import { copyWith } from './object.ts'

/** On a context: for this call alone. A copy of the context has what was kept until then. */
// biome-ignore lint/suspicious/noEmptyInterface: other files declare its members
export interface ContextSlots {}

/** On params: for the service that is called. No other service sees them when the params are passed on. */
// biome-ignore lint/suspicious/noEmptyInterface: other files declare its members
export interface ServiceSlots {}

/** On params: for this call and for all calls that its params are passed on to. */
// biome-ignore lint/suspicious/noEmptyInterface: other files declare its members
export interface InheritedSlots {}

/** Clients cannot send symbols, and copies have them: `{ ...params }`. */
const STATE: unique symbol = Symbol('alula/call')

interface ParamsState {
  /** The service that `slots` are for. */
  readonly service: object | undefined
  readonly slots: ServiceSlots
  readonly inherited: InheritedSlots
}

interface WithContextState {
  [STATE]?: ContextSlots
}

interface WithParamsState {
  readonly [STATE]?: ParamsState
}

const NO_SLOTS: Readonly<Record<never, never>> = Object.freeze({})

/** What is kept on a context. */
export function getSlots(context: object): Readonly<ContextSlots> {
  return (context as WithContextState)[STATE] ?? NO_SLOTS
}

/** Keeps something on a context, beside what is there. */
export function setSlots(context: object, slots: ContextSlots): void {
  const holder = context as WithContextState

  // A new object: copies of the context keep theirs.
  holder[STATE] = copyWith(holder[STATE], slots)
}

/** Changes a context without what is kept on it: a hook may return the context of another call, which is then merged. */
export function keepSlots(context: object, change: () => unknown): void {
  const holder = context as WithContextState
  const slots = holder[STATE]

  change()

  if (holder[STATE] === slots) return
  if (slots === undefined) delete holder[STATE]
  else holder[STATE] = slots
}

/** What is kept on the params of a call for the service that asks; nothing where it is kept for another service. */
export function getServiceSlots(params: object | undefined, service: object): Readonly<ServiceSlots> {
  const state = (params as WithParamsState | undefined)?.[STATE]

  return state?.service === service ? state.slots : NO_SLOTS
}

/** Copies params, with something kept for a service beside what is kept for it already. */
export function addServiceSlots<Params extends object, Changes extends object = object>(
  params: Params | undefined,
  service: object,
  slots: ServiceSlots,
  changes?: Changes
): Params & Changes {
  const state = (params as WithParamsState | undefined)?.[STATE]
  const own = state?.service === service ? copyWith(state.slots, slots) : slots

  return withState(params, { service, slots: own, inherited: state?.inherited ?? NO_SLOTS }, changes)
}

/** Copies params for a call of `service` that is made with them: of what is kept it has only what is inherited. */
export function toNestedParams<Params extends object, Changes extends object = object>(
  params: Params | undefined,
  service: object,
  slots: ServiceSlots,
  changes?: Changes
): Params & Changes {
  return withState(params, { service, slots, inherited: getInherited(params) }, changes)
}

/** Params without what is kept for a service; the same object where nothing is. */
export function withoutServiceSlots<Params extends object>(params: Params): Params {
  const { [STATE]: state, ...others } = params as Params & WithParamsState

  if (!state?.service) return params
  if (state.inherited === NO_SLOTS) return others as unknown as Params

  return withState(params, { service: undefined, slots: NO_SLOTS, inherited: state.inherited })
}

/** What is kept on the params of a call and of all calls that are made with them. */
export function getInherited(params: object | undefined): Readonly<InheritedSlots> {
  return (params as WithParamsState | undefined)?.[STATE]?.inherited ?? NO_SLOTS
}

/** Copies params, with something kept for this call and all that are made with them. */
export function addInherited<Params extends object>(params: Params, slots: InheritedSlots): Params {
  const copy = copyWith(params)

  setInherited(copy, slots)

  return copy
}

/** The same for params that no other code has yet, without a copy. */
export function setInherited(params: object, slots: InheritedSlots): void {
  const holder = params as { [STATE]?: ParamsState }
  const { service, slots: own = NO_SLOTS, inherited } = holder[STATE] ?? {}

  holder[STATE] = { service, slots: own, inherited: inherited ? copyWith(inherited, slots) : slots }
}

function withState<Params extends object, Changes extends object>(
  params: Params | undefined,
  state: ParamsState,
  changes?: Changes
): Params & Changes {
  const copy: Params & Changes & { [STATE]?: ParamsState } = copyWith(params, changes)

  // Afterwards: to copy a symbol takes several times as long.
  copy[STATE] = state

  return copy
}
