import { describe, expect, it } from 'vitest'
import { access, exposure, owner, role, user } from '../src/access.ts'
import { authenticate, hashPassword, LocalStrategy } from '../src/authentication.ts'
import { alula as createClient } from '../src/client.ts'
import { errorHandler, express, notFound, parseAuthentication, rest, toMiddleware } from '../src/express.ts'
import { createHandler } from '../src/fetch.ts'
import { collect } from '../src/hooks.ts'
import { alula } from '../src/index.ts'
import {
  errorHandler as errorHandlerOfKoa,
  koa,
  parseAuthentication as parseAuthenticationOfKoa
} from '../src/koa.ts'
import { kysely } from '../src/kysely.ts'
import { memory } from '../src/memory.ts'
import { toListener } from '../src/node.ts'
import { toOpenApi } from '../src/openapi.ts'
import { socketio } from '../src/socketio.ts'
import { application, createSecured } from './support/mistakes.ts'
import { serve } from './support/server.ts'

// What developers get wrong, and the sentence that they meet at once.

function catchError(act: () => unknown): any {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown')
}

describe('a mistake is met by an error with a sentence:', () => {
  const mistakes: { [mistake: string]: [act: () => unknown, sentence: string] } = {
    'a service whose name is misspelt': [
      () => application().service('mesages'),
      "Can not find service 'mesages'. Did you mean 'messages'?"
    ],
    'a service in another case': [
      () => application().service('/Messages'),
      "Can not find service 'Messages'. Did you mean 'messages'?"
    ],
    'a service like no other': [() => application().service('users'), "Can not find service 'users'"],
    'a client without a connection': [
      () => createClient().service('notes').find(),
      "Can not find service 'notes': the client has no connection. Configure one first: app.configure(rest(…)"
    ],
    'a plugin of an Express application without services': [
      () => (express() as any).configure(rest()),
      'express() makes a plain Express application, which has no plugins and no services: write express(alula())'
    ],
    'a service that is registered twice': [
      () => application().use('messages', memory()),
      'Path messages already exists'
    ],
    'an option of an adapter that is misspelt': [
      () => memory({ pagination: undefined, paginates: { default: 10 } } as any),
      "Unknown option 'paginates' of MemoryService. Did you mean 'paginate'?"
    ],
    'an option of the memory adapter that is misspelt': [
      () => memory({ index: ['name'] } as any),
      "Unknown option 'index' of MemoryService. Did you mean 'indexes'?"
    ],
    'an option of a table in another case': [
      () => kysely({ model: {}, name: 'messages' } as any),
      "Unknown option 'model' of KyselyService. Did you mean 'Model'?"
    ],
    'a method that never takes several records': [
      () => memory({ multi: ['update'] }),
      `Invalid option 'multi' of MemoryService: expected true, false, or an array of create, patch and remove, got ["update"]`
    ],
    'an id field without a name': [
      () => memory({ id: '' }),
      `Invalid option 'id' of MemoryService: expected the name of a field, got ""`
    ],
    'a page size that is misspelt': [
      () => memory({ paginate: { defualt: 10 } } as any),
      "Unknown option 'paginate.defualt' of MemoryService. Did you mean 'default'?"
    ],
    'an object without service methods': [
      () => alula().use('messages', {} as any),
      'Invalid service object passed for path `messages`'
    ],
    'methods of a service whose name is misspelt, on Express': [
      () => (express(alula()) as any).use('messages', memory(), { method: ['find'] }),
      "Invalid options passed to app.use: service 'messages' has no option 'method'. Did you mean 'methods'?"
    ],
    'an option that no service has, on Express': [
      () => (express(alula()) as any).use('messages', memory(), { colour: 'green' }),
      "Invalid options passed to app.use: service 'messages' has no option 'colour'"
    ],
    'two services under one path, on Express': [
      () => (express(alula()) as any).use('messages', memory(), {}, memory()),
      "Invalid options passed to app.use: service 'messages' got several objects"
    ],
    'an application that listens without a transport': [
      () => (alula() as any).listen(3030),
      'This application has no server: use express(app), toListener(app) or socketio()'
    ],
    'a list where the options of a service belong': [
      () => alula().use('messages', memory(), ['find'] as any),
      "Invalid options of service 'messages': expected an object"
    ],
    'a list where the options of a service belong, on Express': [
      () => (express(alula()) as any).use('messages', memory(), ['find']),
      "Invalid middleware of service 'messages': expected functions. Methods are listed in options: { methods: […] }"
    ],
    'methods of a service that are no list': [
      () => alula().use('messages', memory(), { methods: 'find' } as any),
      "Invalid option 'methods' of service 'messages': expected an array of names"
    ],
    'methods of a service whose name is misspelt': [
      () => alula().use('messages', memory(), { method: ['find'] } as any),
      "Unknown option 'method' of service 'messages'. Did you mean 'methods'?"
    ],
    'events of a service that are no list': [
      () => alula().use('messages', memory(), { events: 'typed' } as any),
      "Invalid option 'events' of service 'messages': expected an array of names"
    ],
    'middleware of a service that is no list': [
      () => (express(alula()) as any).use('messages', memory(), { express: { before: () => undefined } }),
      "Invalid option 'express.before' of service 'messages': expected an array of functions, got function"
    ],
    'middleware of a service under a misspelt name': [
      () => (express(alula()) as any).use('messages', memory(), { express: { befor: [] } }),
      "Unknown option 'express.befor' of service 'messages'. Did you mean 'before'?"
    ],
    'a class instead of an object': [
      () => alula().use('messages', class Messages {} as any),
      'Invalid service object passed for path `messages`'
    ],
    'a function instead of a service, on Express': [
      () => (express(alula()) as any).use('messages', memory),
      "app.use('messages') got a function instead of a service: call it, as in memory()"
    ],
    'a class instead of a service, on Express': [
      () => (express(alula()) as any).use('messages', class Messages {}),
      'or write new in front of a class'
    ],
    'a type of hooks that is misspelt': [
      () =>
        application()
          .service('messages')
          .hooks({ befor: [async () => undefined] }),
      "'befor' is not a valid hook type. Did you mean 'before'?"
    ],
    'a type of hooks that is misspelt, on the application': [
      () => application().hooks({ befor: { find: [async () => undefined] } }),
      "'befor' is not a valid hook type. Did you mean 'before'?"
    ],
    'a list of hooks whose type is misspelt, on the application': [
      () => application().hooks({ arround: [async () => undefined] }),
      "'arround' is not a valid hook type. Did you mean 'around'?"
    ],
    'a type of hooks that is misspelt beside another': [
      () => application().hooks({ before: {}, aftr: {} }),
      "'aftr' is not a valid hook type. Did you mean 'after'?"
    ],
    'a hook for a method that does not exist': [
      () =>
        application()
          .service('messages')
          .hooks({ before: { craete: [async () => undefined] } }),
      "Method craete is not a Feathers hooks enabled service method. Did you mean 'create'?"
    ],
    'a kind of hooks that does not exist': [
      () =>
        application()
          .service('messages')
          .hooks({ befor: { find: [] } }),
      "'befor' is not a valid hook type. Did you mean 'before'?"
    ],
    'a hook that is called instead of given': [
      () =>
        application()
          .service('messages')
          .hooks({ before: { find: [undefined] } }),
      "Invalid 'before' hook for 'find': expected a function, got undefined"
    ],
    'a single hook where collect takes lists': [
      () => collect({ before: async () => undefined } as any),
      "Invalid 'before' of collect: expected lists of functions, 'before', 'after' and 'error'"
    ],
    'a type of hooks that collect does not know': [
      () => collect({ befor: [] } as any),
      "Invalid 'befor' of collect"
    ],
    'hooks that are nothing': [
      () => alula().hooks(null as any),
      'Invalid hooks: expected an object or an array, got null'
    ],
    'options of a service that are nothing': [
      () => alula().use('messages', memory(), null as any),
      "Invalid options of service 'messages': expected an object"
    ],
    'forms that are switched off by a text': [
      () => alula().use('messages', memory(), { forms: 'false' } as any),
      "Invalid option 'forms' of service 'messages': expected true or false"
    ],
    'values of a route that are a text': [
      () => alula().use('messages', memory(), { routeParams: 'eu' } as any),
      "Invalid option 'routeParams' of service 'messages': expected an object, got \"eu\""
    ],
    'values of a route that are misspelt': [
      () => alula().use('messages', memory(), { routeParam: { region: 'eu' } } as any),
      "Unknown option 'routeParam' of service 'messages'. Did you mean 'routeParams'?"
    ],
    'middleware of Koa that is a number': [
      () => koa(alula()).use('messages', memory(), { koa: 5 } as any),
      "Invalid option 'koa' of service 'messages': expected an object"
    ],
    'options in the place of the application of Express': [
      () => express(alula(), { prefix: '/api' } as any),
      'express(app, server) expects an application of Express as its second argument: options are those of rest()'
    ],
    'options in the place of the application of Koa': [
      () => koa(alula(), { proxy: true } as any),
      'koa(app, server) expects an application of Koa as its second argument: options are those of rest()'
    ],
    'a rule of access that is called': [() => access({ all: (user as any)() }), '`user` is a rule itself'],
    'a rule of access that is not called': [
      () => access({ all: owner as any }),
      "Invalid rule for 'all' in access(): call owner with a name"
    ],
    'options of a role that are a text': [() => role('x', 'groups' as any), 'Invalid options of role()'],
    'an option of a role that is misspelt': [
      () => role('x', { feld: 'groups' } as any),
      "Unknown option 'feld' of role(). Did you mean 'field'?"
    ],
    'no application': [() => createHandler(undefined as any), 'createHandler expects an application'],
    'no application for a server of Node': [
      () => toListener({} as any),
      'toListener expects an application, as alula() returns it'
    ],
    'no application for a server that exists already': [
      () => toMiddleware(null as any),
      'toMiddleware expects an application'
    ],
    'no application for a document': [() => toOpenApi(undefined as any), 'toOpenApi expects an application'],
    'options of transports that are misspelt': [
      () => toListener(alula(), { perfix: '/api' } as any),
      "Unknown option 'perfix' of toListener. Did you mean 'prefix'?"
    ],
    'options of transports in another case': [
      () => rest({ bodylimit: 5 } as any),
      "Unknown option 'bodylimit' of rest. Did you mean 'bodyLimit'?"
    ],
    'options of an error handler that are misspelt': [
      () => errorHandler({ looger: false } as any),
      "Unknown option 'looger' of errorHandler. Did you mean 'logger'?"
    ],
    'a prefix that is no path': [
      () => toListener(alula(), { prefix: 5 } as any),
      "Invalid option 'prefix' of toListener: expected a path"
    ],
    'params that are no function': [
      () => createHandler(alula(), { params: { tenant: 1 } } as any),
      "Invalid option 'params' of createHandler: expected a function that returns params"
    ],
    'a function as a logger': [
      () => createHandler(alula(), { logger: console.log } as any),
      "Invalid option 'logger' of createHandler: expected an object with the method 'error', or false"
    ],
    'a function as a logger, on Express': [
      () => errorHandler({ logger: console.log } as any),
      "Invalid option 'logger' of errorHandler: expected an object with the method 'error', or false"
    ],
    'no application for a table of access': [
      () => exposure(null as any),
      'exposure expects an application, as alula() returns it'
    ],
    'no application, but its options, for a table of access': [
      () => exposure({} as any),
      'exposure expects an application, as alula() returns it'
    ],
    'options of notFound that are nothing': [() => notFound(null as any), 'Invalid options of notFound'],
    'an option of notFound that is misspelt': [
      () => notFound({ verbos: true } as any),
      "Unknown option 'verbos' of notFound. Did you mean 'verbose'?"
    ],
    'options of an error handler that are nothing, on Koa': [
      () => errorHandlerOfKoa(null as any),
      'Invalid options of errorHandler: expected an object'
    ],
    'options of parseAuthentication that are misspelt': [
      () => parseAuthentication({ strategie: ['jwt'] } as any),
      "Unknown option 'strategie' of parseAuthentication. Did you mean 'strategies'?"
    ],
    'an option of parseAuthentication with another value, on Koa': [
      () => parseAuthenticationOfKoa({ strategies: 'jwt' } as any),
      "Invalid option 'strategies' of parseAuthentication: expected an array of names"
    ],
    'a duration without a unit': [
      () => createSecured({ jwtOptions: { expiresIn: '3600' } }),
      "Invalid option 'expiresIn' of authentication.jwtOptions: expected a number of seconds, or a duration with a unit"
    ],
    'a plugin that is not called': [
      () => (express(alula()) as any).configure(rest),
      "app.configure got 'rest', which returned another function: call it first, as in app.configure(rest())"
    ],
    'Socket.IO that is configured twice': [
      () => alula().configure(socketio()).configure(socketio()),
      "'alula/socketio' is configured already"
    ],
    'no plugin at all': [
      () => (alula() as any).configure(undefined),
      'app.configure expects a function, got undefined'
    ],
    'rest without Express': [
      () => (alula() as any).configure(rest()),
      'alula/express rest needs an Express compatible app.'
    ],
    'a strategy that is no object': [
      () =>
        createSecured()
          .service('authentication')
          .register('local', LocalStrategy as any),
      "Did you forget 'new'?"
    ],
    'a strategy without its settings': [
      () => createSecured().service('authentication').register('ldap', new LocalStrategy()),
      "'ldap' authentication strategy requires a 'usernameField' setting"
    ],
    'an option of authentication in another case': [
      () => createSecured({ isactive: () => false }),
      "Unknown option 'isactive' of authentication. Did you mean 'isActive'?"
    ],
    'an authenticate hook without a strategy': [
      () => (authenticate as any)(),
      'The authenticate hook needs at least one allowed strategy'
    ],
    'a password hook without a field': [
      () => (hashPassword as any)(),
      'The hashPassword hook requires a field name option'
    ],
    'a channel without a name': [() => alula().channel(), 'app.channel needs at least one channel name'],
    'a publisher for an event that does not exist': [
      () =>
        application()
          .service('messages')
          .publish('craeted', () => null),
      "'craeted' is not a valid service event"
    ]
  }

  it.each(Object.entries(mistakes))('%s', (_mistake, [act, sentence]) => {
    const error = catchError(act)

    expect(error.message).toContain(sentence)
    expect(error.code).toMatch(/^ALULA_[A-Z_]+$/)
    expect(error.message.endsWith(` (${error.code})`)).toBe(true)
  })

  it.each([
    ['notFound', () => notFound],
    ['errorHandler', () => errorHandler],
    ['parseAuthentication', () => parseAuthentication]
  ])('%s as middleware, without a call', async (name, getMiddleware) => {
    const app: any = express(alula())

    app.configure(rest()).use(getMiddleware())
    app.use(errorHandler({ logger: false }))

    const response = await fetch(`${await serve(app)}/nowhere`)

    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({
      message: `${name} makes middleware and is none: call it, as in app.use(${name}()) (ALULA_NOT_CALLED)`
    })
  })

  it('the authenticate of hooks as middleware', async () => {
    const app: any = express(alula())

    app.use(authenticate('jwt') as any)
    app.use(errorHandler({ logger: false }))

    const response = await fetch(`${await serve(app)}/nowhere`)

    expect(await response.json()).toMatchObject({
      message:
        "This authenticate is a hook: the one for middleware is in 'alula/express' (ALULA_MISPLACED_HOOK)"
    })
  })

  it('hooks of a type that are undefined are none', async () => {
    const app = application()

    app.service('messages').hooks({ before: undefined }).hooks({ around: undefined, after: undefined })
    expect(await app.service('messages').find()).toEqual([])
  })
})
