import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { authenticate, protect } from '../src/authentication.ts'
import { errorHandler, express, notFound, rest } from '../src/express.ts'
import { alula } from '../src/index.ts'
import { memory } from '../src/memory.ts'
import { schema } from '../src/schema.ts'
import { socketio } from '../src/socketio.ts'
import { addAuthentication } from './support/login.ts'

// What cannot work is named when the application starts, where it can still run.

/** The warnings of the process while a function runs. */
async function listWarnings(act: () => unknown): Promise<readonly unknown[][]> {
  const warnings: unknown[][] = []
  const original = process.emitWarning
  const restore = () => {
    process.emitWarning = original
  }

  process.emitWarning = ((...warning: unknown[]) => void warnings.push(warning)) as typeof process.emitWarning
  onTestFinished(restore)
  await act()
  restore()

  return warnings
}

const Note = z.object({ id: z.int(), text: z.string() })
const NoId = Note.omit({ id: true })

/** Starts an application with notes of a schema. */
function startNotes(record: z.ZodObject, options: object = {}, service: object = memory()) {
  const app: any = alula()

  app.use('notes', service, { schema: schema(record), ...options })

  return app.setup()
}

it('hooks authenticate of an application without logins are a warning that names their services', async () => {
  const app: any = alula()

  for (const path of ['notes', 'tasks', 'open']) app.use(path, memory())
  app.service('notes').hooks({ before: { all: [authenticate('jwt')] } })
  app.service('tasks').hooks({ around: { create: [authenticate('jwt')] } })

  expect(await listWarnings(() => app.setup())).toEqual([
    [
      "Hooks authenticate(…) of 'notes', 'tasks' refuse every client with a 401, because the application has no authentication service: register one, app.use('authentication', new AuthenticationService(app))",
      { code: 'ALULA_NO_AUTHENTICATION' }
    ]
  ])
})

it('hooks authenticate of an application with logins are no warning', async () => {
  const app: any = alula()

  addAuthentication(app)
  app.use('users', memory())
  app.service('users').hooks({ after: { all: [protect('password')] } })
  app.use('notes', memory())
  app.service('notes').hooks({ before: { all: [authenticate('jwt')] } })

  expect(await listWarnings(() => app.setup())).toEqual([])
})

it('a schema without the id is a warning that names the methods which need it', async () => {
  expect(await listWarnings(() => startNotes(NoId, { methods: ['find', 'get', 'create', 'patch'] }))).toEqual(
    [
      [
        "The schema of service 'notes' has no field 'id', so clients never see the value that get, patch need. Add the field, such as id: z.int(), or leave these methods out of 'methods'",
        { code: 'ALULA_UNDECLARED_FIELD' }
      ]
    ]
  )
  expect(await listWarnings(() => startNotes(Note, { by: 'slug', methods: ['get'] }))).toMatchObject([
    [expect.stringContaining("has no field 'slug'"), {}]
  ])
})

it.each<[string, z.ZodObject, object?]>([
  ['that has the id', Note],
  ['of records that clients cannot name', NoId, { methods: ['find', 'create'] }],
  ['that lets other fields pass', z.looseObject({ text: z.string() })],
  ['of the one record of each caller', NoId, { singleton: () => 1, methods: ['get', 'patch'] }],
  ['that has the field of `by`', NoId.extend({ slug: z.string() }), { by: 'slug' }]
])('a schema %s is no warning', async (_name, record, options) => {
  expect(await listWarnings(() => startNotes(record, options))).toEqual([])
})

it('rest() after notFound() is a warning', async () => {
  const app = express(alula())

  app.use(notFound())

  expect(await listWarnings(() => app.configure(rest()))).toEqual([
    [
      'rest() is configured after notFound(), which responds to every request with a 404: configure rest() first',
      { code: 'ALULA_CONFIGURED_TOO_LATE' }
    ]
  ])
})

it('rest() before notFound(), or after that of a path, is no warning', async () => {
  const app = express(alula())

  app.use('/files', notFound())

  expect(await listWarnings(() => app.configure(rest()))).toEqual([])
})

/** The codes of the warnings of an Express application that listens. */
async function listCodes(configure: (app: any) => unknown): Promise<unknown[]> {
  const app: any = express(alula())

  app.use('notes', memory())
  configure(app)
  onTestFinished(() => app.teardown())

  return (await listWarnings(() => app.listen(0))).map(([, options]) => (options as { code: string }).code)
}

it.each<[string, (app: any) => unknown]>([
  ['without errorHandler()', (app) => app.configure(rest())],
  ['with errorHandler() before rest()', (app) => app.use(errorHandler()).configure(rest())]
])('an application that listens %s is a warning', async (_name, configure) => {
  expect(await listCodes(configure)).toEqual(['ALULA_NO_ERROR_HANDLER'])
})

it.each<[string, (app: any) => unknown]>([
  ['errorHandler()', (app) => app.configure(rest()).use(errorHandler())],
  [
    'a custom handler',
    (app) => app.configure(rest()).use((_a: unknown, _b: unknown, _c: unknown, _d: unknown) => {})
  ],
  ['no rest()', (app) => app.configure(socketio())]
])('an application that listens with %s is no warning', async (_name, configure) => {
  expect(await listCodes(configure)).toEqual([])
})

it('an error handler that is registered while the server starts is no warning', async () => {
  expect(
    await listCodes((app) => {
      app.configure(rest())
      app.hooks({
        setup: [
          async (_context: unknown, next: () => Promise<void>) => {
            await next()
            app.use(errorHandler())
          }
        ]
      })
    })
  ).toEqual([])
})
