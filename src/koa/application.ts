import { createServer, type Server } from 'node:http'
import Koa from 'koa'
import type { Application as CoreApplication, FeathersApplication, ServiceOptions } from '../core/types.ts'
import { graft } from '../node/graft.ts'
import { implementListen } from '../node/listen.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { copyWith } from '../utils/object.ts'
import { ignoreAborts } from './aborts.ts'
import type { FeathersContext, FeathersKoaContext } from './context.ts'
import type { LoadedMiddleware } from './peers.ts'
import { implementQuery } from './request.ts'
import { encodeResult } from './send.ts'

/** An application that is a Koa application too. */
export interface Application<Services = any, Settings = any>
  extends KoaMembers,
    CoreApplication<Services, Settings> {
  /** The server that `listen` started. */
  server?: Server

  /** Registers Koa middleware, or a service. */
  use: UseMiddleware<this> & CoreApplication<Services, Settings>['use']

  /**
   * Creates an HTTP server, sets the services up and starts to listen.
   *
   * @param args What `server.listen` of Node takes: port, host, a callback, …
   * @returns The server, once it listens. `app.teardown()` closes it.
   */
  listen(...args: any[]): Promise<Server>
}

type KoaMembers = Omit<Koa, keyof CoreApplication | 'listen' | 'use'>

/** As Koa has it, so that middleware that adds to the context can be used. */
type UseMiddleware<App> = <NewState = object, NewContext = object>(
  middleware: Koa.Middleware<Koa.DefaultState & NewState, Koa.DefaultContext & FeathersContext & NewContext>
) => App

/**
 * Turns an application into a Koa application: the same object, with the members of Koa. Services become reachable once
 * `rest()` is configured on it.
 *
 * @param app An application; without one a plain Koa application is returned
 * @param koaApp The Koa application to use
 * @throws Error when `app` is not an application, and when `koaApp` is none of Koa
 */
export function koa<Services = any, Settings = any>(
  app?: FeathersApplication<Services, Settings>,
  koaApp: Koa = new Koa()
): Application<Services, Settings> {
  if (!app) return koaApp as unknown as Application<Services, Settings>

  if (typeof app.setup !== 'function') {
    throw createError('ALULA_INVALID_APPLICATION', 'alula/koa requires a valid Feathers application instance')
  }

  if (typeof koaApp?.callback !== 'function') {
    throw createTypeError(
      'ALULA_INVALID_APPLICATION',
      'koa(app, server) expects an application of Koa as its second argument: options are those of rest()'
    )
  }

  const { use } = app
  const { use: useMiddleware } = koaApp
  const grafted = graft(app, koaApp)

  grafted.use = function (this: any, location: unknown, ...args: [service: any, options?: ServiceOptions]) {
    if (typeof location !== 'string') return useMiddleware.call(this, location as any)

    return (use as any).call(this, location, ...args)
  }

  implementListen(grafted, (own) => createServer(own.callback()), { prepare: waitForPackages })

  ignoreAborts(grafted.context)
  implementQuery(grafted.request)
  // First, so that the result of a service is encoded when all other middleware has seen it.
  grafted.use(async function encode(context: FeathersKoaContext, next: Koa.Next) {
    // Mounted in another application, whose requests parse queries in their own way.
    if (context.app !== grafted) implementQuery(context.request)

    context.feathers = copyWith(context.feathers, { provider: 'rest' })
    await next()
    // Not where Koa middleware was there before, or the application is mounted in another one.
    encodeResult(context, context.app === grafted && grafted.middleware[0] === encode)
  })

  return grafted
}

/** A missing package is reported when the application starts, and not by a request. */
async function waitForPackages({ middleware }: Koa): Promise<void> {
  await Promise.all(middleware.map((each) => (each as Partial<LoadedMiddleware>).loaded))
}
