import { getTraits } from '../hooks/traits.ts'
import type { Hook, Layer, Phase } from '../hooks/types.ts'
import { assertValidCall } from './client-call.ts'
import { getInternals } from './internals.ts'
import type { ServiceCall } from './methods.ts'
import { getMethodRoutes, getServiceOptions } from './service.ts'
import type { Application, FeathersService, HookContext, ServiceExtension } from './types.ts'

declare module '../hooks/traits.ts' {
  interface Traits {
    /** Of a registered service: what holds its calls to `parent` and `singleton`. */
    readonly scope?: ServiceExtension
    /** Of an adapter with a key: what sets the status of its `upsert`. */
    readonly upsert?: ServiceExtension
    /** Of a registered service: where it was registered first. Another application may have mounted that one. */
    readonly home?: Home
    /** Of a registered service: puts hooks around all layers of a method, which repeat the response of an earlier call. */
    readonly repeats?: (
      method: string,
      layers: readonly Layer<HookContext>[]
    ) => readonly Layer<HookContext>[]
  }
}

/** An application, and the path of a service in it. */
export interface Home {
  readonly app: { readonly services: { readonly [path: string]: unknown }; get?(name: string): unknown }
  readonly path: string
  /** This application, and those that it has become part of, one after the other. */
  readonly apps: readonly Home['app'][]
}

/** The hooks of the application, of the class and of the service. */
export type Levels = readonly [Layer<HookContext>, Layer<HookContext>, Layer<HookContext>]

/**
 * What takes part in the calls of a service, in the order in which it sees their input: its scope, its schema, the inner
 * extensions of both, its access. The restrictions come last, so that no client can remove them. The extension that sets the
 * status of `upsert` comes first: on the way out it runs last, so that the status of a schema wins.
 */
export function listExtensions(service: object): readonly ServiceExtension[] {
  // A plugin may have put a service among the others that was never registered.
  const { schema, access } = getServiceOptions(service) ?? {}
  const { scope, upsert } = getTraits(service)

  return [upsert, scope, schema, schema?.inner, scope?.inner, access].filter(Boolean) as ServiceExtension[]
}

/** A call that a transport has made, as the schema of its service reads it. */
export function receiveCall(service: object, call: ServiceCall): ServiceCall {
  const read = getServiceOptions(service)?.schema?.receive?.(call)

  return read ? { ...call, ...read } : call
}

/** Lets the extensions of a service check it, before anything else is done to it. */
export function installExtensions(service: FeathersService, path: string, app: object): void {
  for (const extension of listExtensions(service)) extension.install?.(service, path, app)
}

/**
 * Where a service is at home: in the sub-application that it comes from, with the other services there under their paths; or
 * else where it is registered.
 */
export function getHome(
  service: object,
  path: string,
  app: object
): { readonly app: object; readonly path: string } {
  const { home } = getTraits(service)

  // An application that was moved onto another object has its internals there.
  return home && getInternals(home.app) !== getInternals(app) ? home : { app, path }
}

/** Sets a service up: its extensions first, because they can refuse the start. */
export async function setUpService(service: FeathersService, path: string, app: object): Promise<void> {
  const home = getHome(service, path, app)

  for (const extension of listExtensions(service)) await extension.setup?.(service, home.path, home.app)
  await service.setup?.(app as Application, path)
}

/**
 * Puts what the extensions of a service do between its layers of hooks, which are those of the application, the class and the
 * service, and the check of calls: those that are not in the form of a route or an envelope are refused. Without either the
 * layers are returned as they are.
 */
export function extendLayers(service: object, method: string, layers: Levels): readonly Layer<HookContext>[] {
  const extended = addExtensions(service, method, layers)

  return getTraits(service).repeats?.(method, extended) ?? extended
}

function addExtensions(service: object, method: string, layers: Levels): readonly Layer<HookContext>[] {
  const extensions = listExtensions(service)

  if (!extensions[0] && !getMethodRoutes(service, method)[0]) return layers

  const [ofApplication, ofClass, ofService] = layers
  const listHooks = <Place extends keyof Places>(place: Place) =>
    extensions.flatMap((extension: Places) => extension[place]?.(method) ?? []) as PlacedHook<Place>[]
  const listReversed = <Place extends keyof Places>(place: Place) => listHooks(place).reverse()
  // The caller is admitted after the last before hook of the application.
  const last = ofApplication.phases.findLast(({ before }) => before)

  return [
    { around: [], phases: [{ after: listReversed('output') }] },
    insertBefore(ofApplication, listReversed('admit'), last, Number.POSITIVE_INFINITY),
    { around: [], phases: [{ after: listReversed('complete') }] },
    ofClass,
    withInput(ofService, listHooks('input')),
    { around: listReversed('innermost'), phases: [] }
  ]
}

/** Where an extension may put a hook. */
type Places = Pick<ServiceExtension, 'output' | 'admit' | 'complete' | 'input' | 'innermost'>

type PlacedHook<Place extends keyof Places> = NonNullable<ReturnType<NonNullable<Places[Place]>>>

/**
 * Inserts hooks after the last one that authenticates: the check of calls, and `input` unless a hook says itself when that
 * is checked.
 */
function withInput(layer: Layer<HookContext>, input: readonly Hook<HookContext>[]): Layer<HookContext> {
  let target = layer.phases[0]
  let position = 0
  let placed = input

  for (const phase of layer.phases) {
    const { before = [] } = phase

    for (const [index, hook] of before.entries()) {
      const when = getTraits(hook).input

      if (when === 'here') placed = []
      if (when === 'after') {
        target = phase
        position = index + 1
      }
    }
  }

  return insertBefore(layer, [assertValidCall, ...placed], target, position)
}

/** Puts before hooks among those of one phase of a layer. */
export function insertBefore(
  layer: Layer<HookContext>,
  hooks: readonly Hook<HookContext>[],
  target: Phase<HookContext> | undefined,
  position: number
): Layer<HookContext> {
  if (!hooks[0]) return layer

  const changed = { ...target, before: (target?.before ?? []).toSpliced(position, 0, ...hooks) }

  return { ...layer, phases: layer.phases.map((phase) => (phase === target ? changed : phase)) }
}
