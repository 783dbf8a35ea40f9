import { createError } from '../../utils/developer-error.ts'
import { assertOptions, type OptionChecks } from '../../utils/options.ts'
import { stripSlashes } from '../../utils/path.ts'
import type { Application } from '../application.ts'
import { List, type LiveParams, type LiveTimers } from './list.ts'
import type { Change } from './rows.ts'

/** The options of `live()`. */
export interface LiveOptions {
  /** After how many milliseconds a list is fetched again, whatever events say; a minute when left out. */
  interval?: number
  /** How time passes: an object with `setTimeout` and `clearTimeout`, for tests. */
  timers?: LiveTimers
}

const CHECKS: OptionChecks = {
  interval: [(time) => Number(time) > 0, 'a number of milliseconds'],
  timers: [
    (timers: any) => typeof timers?.setTimeout === 'function' && typeof timers.clearTimeout === 'function',
    "an object with 'setTimeout' and 'clearTimeout'"
  ]
}

/** What each event of a service says of a record. */
const KINDS: readonly (readonly [event: string, kind: Change['kind']])[] = [
  ['created', 'created'],
  ['updated', 'patched'],
  ['patched', 'patched'],
  ['removed', 'removed']
]

/** The functions of the platform, which want no other `this`. */
const TIMERS: LiveTimers = {
  setTimeout: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer)
}

/**
 * Gives an application of a client the method `live`: the records of a query, kept up to date by events. It is configured
 * after the connection, and after `events()` over HTTP.
 *
 * @param options How often lists are fetched again in any case
 * @throws TypeError for options that are not valid, and on `configure` Error for an application without a connection
 *
 * @example
 * const app = alula().configure(socketio(io())).configure(live())
 * const list = app.live('notes', { query: { done: false, $sort: { id: 1 } } })
 *
 * list.subscribe(() => console.log(list.getSnapshot().data))
 */
export function live(options: LiveOptions = {}): (app: Application) => void {
  assertOptions('live', options, CHECKS)

  const { interval = 60_000, timers = TIMERS } = options

  return (app: any) => {
    if (app.rest === undefined && app.io === undefined) {
      throw createError(
        'ALULA_NO_TRANSPORT',
        'live() needs a connection: configure rest(…) or socketio(…) before it'
      )
    }

    /** The lists that are open, by the path of their service. */
    const feeds = new Map<string, Feed>()
    const listAll = () => [...feeds.values()].flatMap(({ lists }) => [...lists])

    app.live = (given: string, params: LiveParams = {}): List => {
      const path = stripSlashes(given)
      const service = app.service(path)
      const feed = feeds.get(path) ?? openFeed(service)
      const list: List = new List({ app, service, params, interval, timers, onClose })

      function onClose(): void {
        feed.lists.delete(list)
        if (feed.lists.size > 0 || feeds.get(path) !== feed) return

        feeds.delete(path)
        feed.close()
      }

      feeds.set(path, feed)
      feed.lists.add(list)

      return list
    }

    app.on('gap', ({ services }: { services: readonly string[] }) => {
      for (const path of services) for (const list of feeds.get(path)?.lists ?? []) list.takeGap()
    })
    app.on('events:begin', (position: string) => {
      for (const list of listAll()) list.takeBegin(position)
    })
    app.on('login', (login: { accessToken?: string } | null) => {
      for (const list of listAll()) list.takeLogin(login?.accessToken)
    })
    app.on('logout', () => {
      for (const list of listAll()) list.takeLogout()
    })
    app.hooks({
      teardown: [
        async (_context: unknown, next: () => Promise<void>) => {
          for (const list of listAll()) list.close()
          await next()
        }
      ]
    })
  }
}

/** The open lists of a service, and what feeds them. */
interface Feed {
  readonly lists: Set<List>
  /** Removes the listeners of the service. */
  close(): void
}

/** Listens to a service once, for all its lists. */
function openFeed(service: any): Feed {
  const lists = new Set<List>()
  const listeners = KINDS.map(([event, kind]) => {
    const listener = (record: unknown, stamp?: any) => {
      for (const list of lists) list.take(kind, record, stamp)
    }

    service.on(event, listener)

    return [event, listener] as const
  })

  return {
    lists,
    close: () => {
      for (const [event, listener] of listeners) service.off(event, listener)
    }
  }
}
