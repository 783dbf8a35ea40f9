import { createRequire } from 'node:module'
import { KnexService } from '@feathersjs/knex'
import { Ajv, addFormats, resolve, hooks as schemaHooks, virtual } from '@feathersjs/schema'
import { getValidator, querySyntax, Type } from '@feathersjs/typebox'
import knex from 'knex'
import Database from 'libsql'
import { schema } from '../../../src/schema.ts'
import type { Library } from './libraries.ts'

// An application as the generator of Feathers v5 writes it: Koa, TypeBox, Knex on SQLite, sockets, local login. It takes
// everything that alula replaces from a library.

const BetterSqlite: any = createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3')

/** Knex asks for `better-sqlite3`, which has to be compiled; `libsql` speaks the same API. */
class LibsqlClient extends BetterSqlite {
  _driver(): unknown {
    return Database
  }
}

const dataValidator = addFormats(new Ajv({}), [])
const queryValidator = addFormats(new Ajv({ coerceTypes: true }), [])

const userSchema = Type.Object(
  { id: Type.Number(), email: Type.String({ minLength: 3 }), password: Type.Optional(Type.String()) },
  { $id: 'User', additionalProperties: false }
)
const userDataSchema = Type.Pick(userSchema, ['email', 'password'], { $id: 'UserData' })
const userQuerySchema = Type.Intersect(
  [querySyntax(Type.Pick(userSchema, ['id', 'email'])), Type.Object({}, { additionalProperties: false })],
  { additionalProperties: false }
)
const messageSchema = Type.Object(
  {
    id: Type.Number(),
    text: Type.String(),
    createdAt: Type.Number(),
    userId: Type.Number(),
    user: Type.Ref(userSchema)
  },
  { $id: 'Message', additionalProperties: false }
)
const messageDataSchema = Type.Pick(messageSchema, ['text'], { $id: 'MessageData' })
const messageQuerySchema = Type.Intersect(
  [
    querySyntax(Type.Pick(messageSchema, ['id', 'text', 'createdAt', 'userId'])),
    Type.Object({}, { additionalProperties: false })
  ],
  { additionalProperties: false }
)

const userPatchSchema = Type.Partial(userDataSchema, { $id: 'UserPatch' })
const messagePatchSchema = Type.Partial(messageDataSchema, { $id: 'MessagePatch' })

// The generator makes validators of the records too.
getValidator(userSchema, dataValidator)
getValidator(messageSchema, dataValidator)

const userQueryValidator = getValidator(userQuerySchema as any, queryValidator)
const userDataValidator = getValidator(userDataSchema, dataValidator)
const userPatchValidator = getValidator(userPatchSchema, dataValidator)
const messageQueryValidator = getValidator(messageQuerySchema as any, queryValidator)
const messageDataValidator = getValidator(messageDataSchema, dataValidator)
const messagePatchValidator = getValidator(messagePatchSchema, dataValidator)

/**
 * How far the application has moved from the hooks of Feathers’ schemas: it has them alone, a declaration describes
 * beside them, or a declaration enforces in their place, with both instances of Ajv or with that for data.
 */
export type Step = 'hooks' | 'described' | 'enforced' | 'enforced with one Ajv'

/** Creates the application with an empty database in memory. */
export async function createApplication(library: Library, step: Step = 'hooks'): Promise<any> {
  const app = library.koa(library.feathers())
  const db = knex({
    client: LibsqlClient as any,
    connection: { filename: ':memory:' },
    useNullAsDefault: true
  })

  app.set('sqliteClient', db)
  app.set('paginate', { default: 10, max: 50 })
  app.set('authentication', {
    entity: 'user',
    service: 'users',
    secret: 'a secret for tests, longer than thirty-two bytes',
    authStrategies: ['jwt', 'local'],
    jwtOptions: {
      header: { typ: 'access' },
      audience: 'https://yourdomain.com',
      algorithm: 'HS256',
      expiresIn: '1d'
    },
    local: { usernameField: 'email', passwordField: 'password' }
  })

  app.use(library.cors())
  app.use(library.errorHandler())
  app.use(library.parseAuthentication())
  app.use(library.bodyParser())
  app.use(routes)

  app.configure(library.rest())
  app.configure(library.socketio({ cors: { origin: ['http://localhost:3030'] } }))
  app.configure(authentication(library))
  app.configure(users(library, step))
  app.configure(messages(library, step))
  app.configure(failures(library))
  app.configure(channels)

  app.hooks({ around: { all: [logError] }, before: {}, after: {}, error: {} })
  app.hooks({ setup: [], teardown: [] })

  await db.schema.createTable('users', (table) => {
    table.increments('id')
    table.string('email').unique()
    table.string('password')
  })
  await db.schema.createTable('messages', (table) => {
    table.increments('id')
    table.string('text')
    table.bigint('createdAt')
    table.bigint('userId').references('id').inTable('users')
  })

  return app
}

/** Routes beside the services. */
async function routes(context: any, next: () => Promise<void>): Promise<void> {
  const { path } = context

  if (path === '/health') context.body = 'fine'
  else if (path === '/json') context.body = { query: context.query, body: context.request.body }
  else if (path === '/crash') throw new Error('The route has failed')
  else if (path === '/teapot') context.throw(418, 'No coffee')
  else if (path === '/hidden') context.throw(500, 'A secret')
  else if (path === '/redirect') context.redirect('/health')
  else if (path === '/status') context.status = 202
  else if (path === '/empty') context.body = null
  else await next()
}

/** Where the generator logs errors. */
const logError = (_context: any, next: () => Promise<void>) => next()

const authentication = (library: Library) => (app: any) => {
  const service = new library.AuthenticationService(app)

  service.register('jwt', new library.JWTStrategy())
  service.register('local', new library.LocalStrategy())
  app.use('authentication', service)
}

/** The setting `ajv` of a declaration that enforces. */
function toAjv(step: Step): any {
  return step === 'enforced' ? { data: dataValidator, query: queryValidator } : dataValidator
}

const users = (library: Library, step: Step) => (app: any) => {
  const { authenticate, passwordHash } = library
  const externalResolver = resolve<any, any>({ password: async () => undefined })
  const dataResolver = resolve<any, any>({ password: passwordHash({ strategy: 'local' }) })
  const queryResolver = resolve<any, any>({
    id: async (value, _user, context) => context.params.user?.id ?? value
  })
  const { resolveExternal, resolveResult, validateQuery, resolveQuery, validateData, resolveData } =
    schemaHooks

  const schemas = {
    record: userSchema,
    create: userDataSchema,
    patch: userPatchSchema,
    query: userQuerySchema
  }
  const options = { methods: ['find', 'get', 'create', 'patch', 'remove'], events: [] }
  const service = createKnex(app, 'users')

  if (step.startsWith('enforced')) {
    const declared = schema({
      ...schemas,
      ajv: toAjv(step),
      resolvers: {
        data: dataResolver,
        result: resolve<any, any>({}),
        external: externalResolver,
        query: queryResolver
      }
    })

    app.use('users', service, { ...options, schema: declared })
    app.service('users').hooks({
      around: {
        find: [authenticate('jwt')],
        get: [authenticate('jwt')],
        create: [],
        patch: [authenticate('jwt')],
        remove: [authenticate('jwt')]
      }
    })

    return
  }

  app.use('users', service, {
    ...options,
    ...(step === 'described' && { schema: schema({ ...schemas, ajv: dataValidator, enforce: false }) })
  })
  app.service('users').hooks({
    around: {
      all: [resolveExternal(externalResolver), resolveResult(resolve<any, any>({}))],
      find: [authenticate('jwt')],
      get: [authenticate('jwt')],
      create: [],
      patch: [authenticate('jwt')],
      remove: [authenticate('jwt')]
    },
    before: {
      all: [validateQuery(userQueryValidator), resolveQuery(queryResolver)],
      create: [validateData(userDataValidator), resolveData(dataResolver)],
      patch: [validateData(userPatchValidator), resolveData(dataResolver)]
    }
  })
}

const messages = (library: Library, step: Step) => (app: any) => {
  const resultResolver = resolve<any, any>({
    user: virtual(async (message: any, context: any) => context.app.service('users').get(message.userId))
  })
  const externalResolver = resolve<any, any>({
    user: async (user) => user && { id: user.id, email: user.email }
  })
  const dataResolver = resolve<any, any>({
    userId: async (_value, _message, context) => context.params.user.id,
    createdAt: async () => Date.now()
  })
  const { resolveExternal, resolveResult, validateQuery, resolveQuery, validateData, resolveData } =
    schemaHooks

  const schemas = {
    record: messageSchema,
    create: messageDataSchema,
    patch: messagePatchSchema,
    query: messageQuerySchema
  }
  const options = { methods: ['find', 'get', 'create', 'patch', 'remove', 'shout'], events: [] }
  const service = createKnex(app, 'messages')

  if (step.startsWith('enforced')) {
    const declared = schema({
      ...schemas,
      ajv: toAjv(step),
      resolvers: { data: { create: dataResolver }, result: resultResolver, external: externalResolver }
    })

    app.use('messages', service, { ...options, schema: declared })
    app.service('messages').hooks({ around: { all: [library.authenticate('jwt')] } })

    return
  }

  app.use('messages', service, {
    ...options,
    ...(step === 'described' && { schema: schema({ ...schemas, ajv: dataValidator, enforce: false }) })
  })
  app.service('messages').hooks({
    around: {
      all: [library.authenticate('jwt'), resolveExternal(externalResolver), resolveResult(resultResolver)]
    },
    before: {
      all: [validateQuery(messageQueryValidator), resolveQuery(resolve<any, any>({}))],
      create: [validateData(messageDataValidator), resolveData(dataResolver)],
      patch: [validateData(messagePatchValidator)]
    }
  })
}

class OwnKnexService extends KnexService<any> {
  async shout(data: any): Promise<unknown> {
    return { id: 0, userId: 1, text: String(data.text).toUpperCase() }
  }
}

function createKnex(app: any, name: string): object {
  return new OwnKnexService({ Model: app.get('sqliteClient'), paginate: app.get('paginate'), name })
}

const failures = (library: Library) => (app: any) => {
  const { errors } = library

  app.use('failures', {
    async get(id: string) {
      if (id in errors) throw new errors[id](`It is ${id}`, { detail: id, errors: [{ path: 'a' }] })
      if (id === 'plain') throw new Error('It is plain')
      if (id === 'code') throw Object.assign(new Error('It has a code'), { code: 404 })
      if (id === 'json') throw Object.assign(new Error('It has JSON'), { toJSON: () => ({ own: true }) })
      if (id === 'exposed') throw Object.assign(new Error('It is shown'), { expose: true, status: 409 })
      if (id === 'string') throw 'It is a string'

      return id === 'null' ? null : { id }
    },
    find: async () => [],
    create: async (data: any) => data
  })
  app.service('failures').hooks({
    after: {
      create: [
        (context: any) => {
          context.http = { ...context.http, ...context.data.http }
        }
      ]
    }
  })
}

const channels = (app: any) => {
  app.on('connection', (connection: any) => {
    app.channel('anonymous').join(connection)
  })
  app.on('login', (_result: any, { connection }: any) => {
    if (connection) {
      app.channel('anonymous').leave(connection)
      app.channel('authenticated').join(connection)
    }
  })
  app.publish(() => app.channel('authenticated'))
}
