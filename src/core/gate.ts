import { type Authenticates, getTraits, TRAITS, type Traits } from '../hooks/traits.ts'
import type { AroundHook, Layer } from '../hooks/types.ts'
import { createError } from '../utils/developer-error.ts'
import { type Levels, listExtensions } from './extensions.ts'
import { type HookAnswer, SERVICE_HOOKS, type ServiceHooks } from './hooks.ts'
import { getHookMethods, getServiceOptions } from './service.ts'
import type { FeathersService, HookContext } from './types.ts'

/** A service that is registered. */
interface Hooked {
  readonly [SERVICE_HOOKS]?: ServiceHooks
}

/**
 * The layers of hooks of a method as they are now, outermost first, without what the extensions of its service do; `undefined`
 * where the service brought hooks of another library, which cannot be read.
 */
export function getLayers(service: object, method: string): Levels | undefined {
  return (service as Hooked)[SERVICE_HOOKS]?.toLayers(method)
}

/** Visits the hooks that run around a method, and those of one other type. */
export function visitHooks(
  layers: readonly Layer<HookContext>[],
  type: 'before' | 'after',
  visit: (hook: object) => void
): void {
  layers.forEach(({ around, phases }) => {
    around.forEach(visit)
    phases.forEach((phase) => {
      phase[type]?.forEach(visit)
    })
  })
}

/**
 * Checks that what is declared about a service can hold; a step of its registration. Throws an Error for a service with options
 * such as `schema` or `access` that brought hooks of another library.
 */
export function assertExtensible(service: FeathersService, path: string): void {
  // One that another application has registered has hooks of ours.
  if (typeof service.hooks !== 'function' || SERVICE_HOOKS in service || listExtensions(service).length === 0)
    return

  throw createError(
    'ALULA_FOREIGN_HOOKS',
    `Service '${path}' brought hooks of another library: the options 'schema', 'access', 'parent' and 'singleton' would not hold its calls`
  )
}

/**
 * Puts a gate before the hooks of all methods of a registered service. It is called whenever the hooks of a method are
 * compiled, with their layers; the hook that it returns runs around them. Throws an Error for a service that brought hooks of
 * another library.
 */
export function addGate(
  service: object,
  path: string,
  gate: (method: string, layers: Levels) => AroundHook<HookContext> | undefined
): void {
  const hooks = (service as Hooked)[SERVICE_HOOKS]

  if (!hooks) {
    throw createError(
      'ALULA_FOREIGN_HOOKS',
      `Service '${path}' brought hooks of another library: its methods cannot be closed`
    )
  }

  const { toLayers } = hooks

  hooks.toLayers = (method) => {
    const layers = toLayers(method)
    const [{ around, phases }, ofClass, ofService] = layers
    const hook = gate(method, layers)

    return hook ? [{ around: [hook, ...around], phases }, ofClass, ofService] : layers
  }
  hooks.changes++
}

/** Has calls of a registered service repeated. Hooks of another library, which a service may have brought, are left alone. */
export function addRepetition(service: object, repeats: Traits['repeats']): void {
  const hooks = (service as Hooked)[SERVICE_HOOKS]

  if (!hooks) return

  // Defined: the object of the application, which has those of the library, may be frozen.
  Object.defineProperty(service, TRAITS, { value: { ...getTraits(service), repeats }, configurable: true })
  hooks.changes++
}

/** The paths of fields that hooks `protect` take out of what clients get. */
export function listProtected(layers: readonly Layer<HookContext>[]): readonly string[] {
  const paths: string[] = []

  visitHooks(layers, 'after', (hook) => void paths.push(...(getTraits(hook).protects ?? [])))

  return paths
}

/** The paths of fields that hooks `protect` take out of what clients get of one method of a service, or of all of them. */
export function getProtected(service: object, method = ''): readonly string[] {
  if (method !== '') return getAnswer(service, method)?.protects ?? []

  const methods = getHookMethods(service, getServiceOptions(service))

  return [...new Set(methods.flatMap((name) => getAnswer(service, name)?.protects ?? []))]
}

/** Whether a method is refused to external calls before its hooks. */
export function isRefused(layers: readonly Layer<HookContext>[]): boolean {
  return layers.some(({ around }) => around.some((hook) => getTraits(hook).refuses))
}

/** What the first hook `authenticate` says that lets no call pass without a login. One inside another hook is not seen. */
export function findLoginHook(layers: readonly Layer<HookContext>[]): Authenticates | undefined {
  let strict: Authenticates | undefined

  visitHooks(layers, 'before', (hook) => {
    const { authenticates } = getTraits(hook)

    if (authenticates && !authenticates.optional) strict ??= authenticates
  })

  return strict
}

/**
 * Whether a method of a registered service has hooks that may change its query or its result, those of the application and
 * of the class among them, or a gate. What its extensions do is none, and an error hook sees neither.
 */
export function hasHooks(service: object, method: string): boolean {
  return getAnswer(service, method)?.hasHooks ?? true
}

/** Whether a method of a registered service refuses external calls, or lets none pass without a login, by its hooks. */
export function isGuarded(service: object, method: string): boolean {
  return getAnswer(service, method)?.isGuarded ?? false
}

function getAnswer(service: object, method: string): HookAnswer | undefined {
  const hooks = (service as Hooked)[SERVICE_HOOKS]

  if (!hooks) return undefined

  hooks.answers ??= new Map()

  const { answers, version } = hooks
  const known = answers.get(method)

  if (known?.version === version) return known

  const layers = hooks.toLayers(method)
  const answer = {
    version,
    hasHooks: layers.some(
      ({ around, phases }) =>
        around.length > 0 || phases.some(({ before = [], after = [] }) => before.length + after.length > 0)
    ),
    isGuarded: isRefused(layers) || findLoginHook(layers) !== undefined,
    protects: listProtected(layers)
  }

  answers.set(method, answer)

  return answer
}
