import { Feathers } from './application/feathers.ts'
import { version } from './core/application.ts'
import type { Application } from './core/types.ts'

export { Feathers } from './application/feathers.ts'
export { version } from './core/application.ts'
export { asCaller } from './core/caller.ts'
export { Channel, CombinedChannel } from './core/channel.ts'
export { createContext } from './core/hooks.ts'
export type { ConnectionMessage } from './core/joining.ts'
export {
  defaultEventMap,
  defaultServiceArguments,
  defaultServiceEvents,
  defaultServiceMethods
} from './core/methods.ts'
export { Router } from './core/router.ts'
export { getServiceOptions, normalizeServiceOptions, SERVICE, wrapService } from './core/service.ts'
export type { CallMessage, EventMessage, HookMessage } from './core/tracers.ts'
// With a star, because only names that come by a star can be augmented with `declare module 'alula'`.
export * from './core/types.ts'
export { createDebug, setDebug } from './utils/debug.ts'

/**
 * Creates an application: services by path, hooks around their methods, events after their calls.
 *
 * @example
 * const app = alula<{ messages: MessageService }>()
 *
 * app.use('messages', new MessageService())
 * await app.service('messages').create({ text: 'Hello' })
 */
export function alula<Services = any, Settings = any>(): Application<Services, Settings> {
  return new Feathers() as unknown as Application<Services, Settings>
}

// Plugins read these from the function, which is what the module of Feathers v5 exports.
alula.feathers = alula
alula.version = version

/** The same function under the name that it has in Feathers v5. */
export { alula as feathers }
