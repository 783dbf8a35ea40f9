// Events of a server without sockets: one stream of Server-Sent Events for all services.
import type { Emitter } from '../core/emitter.ts'
import type { HookContext, NextFunction } from '../core/types.ts'
import { isString } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { stripSlashes } from '../utils/path.ts'
import type { Application } from './application.ts'
import { Base } from './http.ts'
import { ServerEvents } from './server-events.ts'
import { ClientService } from './service.ts'

/** The options of `events()`, and of `sharedEvents()`. */
export interface EventsOptions {
  /** Where the server has its events; `/events` below its URL when left out. */
  path?: string
  /** After how many milliseconds without a sign of life the client connects again; a minute when left out. */
  timeout?: number
}

const CHECKS: OptionChecks = {
  path: [isString, "a path such as '/events'"],
  timeout: [(time) => Number(time) > 0, 'a number of milliseconds']
}

/**
 * Gives the services of a REST connection the events of the server, those of all its clients: one stream for all services,
 * from the first listener until `app.teardown()`. After a lost connection, missed events are sent again; where that
 * is not possible, the application emits `gap`. It is configured after the connection.
 *
 * @param options The path of the events
 * @throws TypeError for options that are not valid, and on `configure` Error for an application without a REST connection
 *
 * @example
 * const app = alula().configure(rest('https://api.example.org').fetch(fetch)).configure(events())
 *
 * app.service('messages').on('created', (message) => console.log(message))
 */
export function events(options: EventsOptions = {}): (app: Application) => void {
  return configureEvents('events', options, ServerEvents)
}

/** Has a stream feed the services of an application. The name is that of the function that is called, for errors. */
export function configureEvents(
  name: string,
  options: EventsOptions,
  Stream: typeof ServerEvents
): (app: Application) => void {
  assertOptions(name, options, CHECKS)

  const { path = 'events', timeout = 60_000 } = options

  return (app: any) => {
    const source = app.rest && app.defaultService(stripSlashes(path))

    if (!(source instanceof Base)) {
      throw createError('ALULA_NO_TRANSPORT', `${name}() needs a connection: configure rest(…) before it`)
    }

    const stream = new Stream(app, source, timeout)

    // Those of own calls come from the server, too.
    app.hooks([
      async (context: HookContext, next: NextFunction) => {
        if (context.service instanceof ClientService) context.event = null
        await next()
      }
    ])
    app.hooks({
      teardown: [
        async (_context: unknown, next: NextFunction) => {
          stream.close()
          await next()
        }
      ]
    })
    const watch = (service: ClientService & Emitter): void => {
      if (!(service instanceof ClientService)) return

      if (service.eventNames().length > 0) stream.open()
      service.on('newListener', () => stream.open())
    }

    // Those that are there already may have listeners.
    Object.values<any>(app.services).forEach(watch)
    app.mixins.push(watch)
    app.on('login', () => stream.renew())
    app.on('logout', () => stream.renew())
  }
}
