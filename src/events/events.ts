import { assertBeforeSetup, assertCalled } from '../core/assert-application.ts'
import { addPlugin, getInternals } from '../core/internals.ts'
import type { Application, ApplicationHookContext, MountedHandler, NextFunction } from '../core/types.ts'
import { BadRequest, NotFound } from '../errors.ts'
import { parsePosition } from '../log/position.ts'
import { parseQueryString } from '../transport/querystring.ts'
import { isCount, isString, isStringList } from '../utils/check.ts'
import { DURATION_CHECK, parseDuration } from '../utils/duration.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { stripSlashes } from '../utils/path.ts'
import { shorten } from '../utils/shorten.ts'
import { EventStreams, type StreamBody, type StreamRequest, toRetryBytes } from './streams.ts'

/** The options of {@link events}. */
export interface EventsOptions {
  /** Where clients get events; `/events` when left out. */
  path?: string
  /** How often clients get a sign of life; `'15s'` when left out. A number is seconds. */
  heartbeat?: string | number
  /** After which time clients reconnect, up to a half more or less, by chance; `'2s'` when left out. A number is seconds. */
  retry?: string | number
  /** How many bytes may wait for a client that does not read before its stream is closed; 8 MB when left out. */
  maxUnsentBytes?: number
}

/** As many as the log keeps. */
const MAX_UNSENT_BYTES = 8_000_000

const CHECKS: OptionChecks = {
  path: [(path) => isString(path) && stripSlashes(path) !== '', "a path such as '/events'"],
  heartbeat: DURATION_CHECK,
  retry: DURATION_CHECK,
  maxUnsentBytes: [(bytes) => isCount(bytes) && bytes > 0, 'a positive number of bytes']
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // `no-transform`: compression would hold events back. So would the buffer of a proxy.
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff'
}

/**
 * Sends the events of an application to clients without sockets, as Server-Sent Events, on every HTTP transport. Each
 * stream is a real-time connection: the application emits `connection`, `login` and `disconnect` for it, and it gets what
 * publishers choose for its channels. A client that reconnects gets what it missed.
 *
 * @param options The path, and limits
 * @returns A function for `app.configure`
 * @throws TypeError for options that are not valid
 * @example
 * app.configure(events())
 */
export function events(options: EventsOptions = {}): (app: any) => void {
  assertCalled('events', options)
  assertOptions('events()', options, CHECKS)

  const { path = '/events', heartbeat = '15s', retry = '2s', maxUnsentBytes = MAX_UNSENT_BYTES } = options
  const settings = {
    heartbeat: parseDuration(heartbeat) as number,
    retry: parseDuration(retry) as number,
    maxBytes: maxUnsentBytes
  }

  return (app: Application) => {
    assertBeforeSetup(app, 'alula/events')
    addPlugin(app, 'events', "'alula/events' is configured already")

    let streams: EventStreams | undefined
    let isClosed = false

    const open = (): EventStreams => {
      // An application that is not set up serves requests too.
      streams ??= new EventStreams(app, settings)

      return streams
    }

    // After any other status than 200, an `EventSource` would not come again: while the server closes, its response ends.
    const respond = (request: StreamRequest) => (isClosed ? toRetryBytes(settings) : open().open(request))

    async function setUp(_context: ApplicationHookContext, next: NextFunction): Promise<void> {
      isClosed = false
      open()
      await next()
    }

    async function tearDown(_context: ApplicationHookContext, next: NextFunction): Promise<void> {
      isClosed = true
      streams?.close()
      streams = undefined
      await next()
    }

    const place = `/${stripSlashes(path)}`

    getInternals(app).eventsPath = place
    app.hooks({ setup: [setUp], teardown: [tearDown] })
    app.mount(place, serve(app, respond))
  }
}

/** For the document of `alula/openapi`, which has the responses with errors. */
const OPERATION = {
  operationId: 'receiveEvents',
  tags: [],
  summary: 'events, as Server-Sent Events, for as long as the client stays connected',
  parameters: [
    {
      ...{ name: 'services[]', in: 'query', style: 'form', explode: true },
      description: 'The paths of the services whose events the client wants; all when left out',
      schema: { type: 'array', items: { type: 'string' } }
    },
    {
      ...{ name: 'Last-Event-ID', in: 'header' },
      description:
        'The id of the last event that the client has: it gets what it missed since, or an event `gap`',
      schema: { type: 'string' }
    }
  ],
  responses: {
    200: { description: 'Events', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    400: { $ref: '#/components/responses/BadRequest' },
    401: { $ref: '#/components/responses/NotAuthenticated' },
    default: { $ref: '#/components/responses/OtherError' }
  }
}

function serve(
  app: Application,
  respond: (request: StreamRequest) => StreamBody | Promise<StreamBody>
): MountedHandler {
  const handle: MountedHandler = async (request, { params, authService, prefix, method }) => {
    const { pathname, search } = new URL(request.url)
    const position = request.headers.get('last-event-id') || undefined

    if (pathname.length > prefix.length) throw new NotFound('Not Found')
    if (request.method !== 'GET') return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
    if (position && !parsePosition(position))
      throw new BadRequest("Invalid header 'Last-Event-ID': expected the id of an event")

    const services = toServices(app, parseQueryString(search.slice(1)).services)

    const body = await respond({ signal: request.signal, params, method, authService, services, position })

    return new Response(body, { headers: HEADERS })
  }

  return Object.assign(handle, { operations: { get: OPERATION } })
}

/** The services that a client wants events of; `undefined` for all. */
function toServices(app: Application, sent: unknown): ReadonlySet<string> | undefined {
  if (sent === undefined) return undefined

  const paths = [sent].flat()

  if (!isStringList(paths) || paths.length === 0)
    throw new BadRequest("Invalid 'services': expected paths, as in 'services[]=notes'")

  const services = new Set(paths.map(stripSlashes))

  for (const path of services) {
    if (!Object.hasOwn(app.services, path)) throw new BadRequest(`Unknown service '${shorten(path)}'`)
  }

  return services
}
