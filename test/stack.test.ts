import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { access, closed, exposure, owner, role } from '../src/access.ts'
import {
  AuthenticationService,
  authenticate,
  hashPassword,
  LocalStrategy,
  protect
} from '../src/authentication.ts'
import * as client from '../src/client.ts'
import * as onExpress from '../src/express.ts'
import { createHandler } from '../src/fetch.ts'
import { collect } from '../src/hooks.ts'
import { alula } from '../src/index.ts'
import * as onKoa from '../src/koa.ts'
import { kysely, table, transaction, withTransaction } from '../src/kysely.ts'
import { memory } from '../src/memory.ts'
import { limitPipelining, toListener } from '../src/node.ts'
import { oauth } from '../src/oauth.ts'
import { openapi, toOpenApi } from '../src/openapi.ts'
import { count, many, one, onWrite, schema, validate } from '../src/schema.ts'
import { socketio } from '../src/socketio.ts'
import { sync } from '../src/sync.ts'
import { createError } from '../src/utils/developer-error.ts'
import { application, createSecured } from './support/mistakes.ts'
import { createPackageFolder } from './support/package-folder.ts'

const LINES = readFileSync(import.meta.filename, 'utf8').split('\n')
const Note = z.object({ id: z.number(), text: z.string() })

const wrong: any = { wrong: true }

/** Public functions that are called wrongly. A test finds a call by the name in front of it. */
const SYNC_CALLS: { readonly [name: string]: () => unknown } = {
  'access()': () => access({ all: owner as any }),
  'app.channel()': () => alula().channel(),
  'app.configure()': () => alula().configure(wrong),
  'app.configure(oauth())': () => alula().configure(oauth()),
  'app.configure(rest())': () => alula().configure(onExpress.rest()),
  'app.configure(socketio())': () => alula().configure(socketio()).configure(socketio()),
  'app.hooks()': () => application().hooks({ befor: [] }),
  'app.mount()': () => application().mount('/docs', wrong),
  'app.publish()': () => application().publish(wrong),
  'app.service()': () => application().service('mesages'),
  'app.use()': () => application().use('messages', memory()),
  'app.use() with access': () =>
    alula().use('notes', memory(), { access: access({ fnd: () => true } as any) }),
  'app.use() with a route': () => alula().use('notes', memory(), { routes: { 'GET /x': 'feed' } }),
  'app.use() with a schema': () =>
    alula().use('notes', memory(), { schema: schema(Note, { hidden: ['txt'] as string[] }) }),
  'app.use() of Express': () => (onExpress.express(alula()) as any).use('messages', memory),
  'app.use() of Koa': () => onKoa.koa(alula()).use('messages', memory(), { koa: 5 } as any),
  'app.use() of a client': () => client.alula().use('notes', memory(), { schema: schema(Note) }),
  'authenticate()': () => (authenticate as any)(),
  'authentication.register()': () =>
    createSecured().service('authentication').register('x', new LocalStrategy()),
  'closed()': () => closed(wrong),
  'collect()': () => collect({ before: wrong }),
  'count()': () => count('notes', wrong),
  'createHandler()': () => createHandler(wrong),
  'exposure()': () => exposure(wrong),
  'express()': () => onExpress.express(alula(), wrong),
  'hashPassword()': () => (hashPassword as any)(),
  'koa()': () => onKoa.koa(alula(), wrong),
  'kysely()': () => kysely(wrong),
  'limitPipelining()': () => limitPipelining(wrong),
  'many()': () => many('notes', wrong),
  'memory()': () => memory(wrong),
  'new AuthenticationService()': () => new AuthenticationService(wrong),
  'notFound()': () => onExpress.notFound(wrong),
  'oauth()': () => oauth(wrong),
  'onWrite()': () => onWrite(wrong),
  'one()': () => one('', wrong),
  'openapi()': () => openapi(wrong),
  'owner()': () => owner(wrong),
  'protect()': () => (protect as any)(5),
  'rest() of Express': () => onExpress.rest(wrong),
  'rest() of Koa': () => onKoa.rest(wrong),
  'rest() of a client': () => client.rest(wrong),
  'role()': () => role('admin', wrong),
  'schema()': () => schema(Note, wrong),
  'service.hooks()': () => application().service('messages').hooks({ befor: [] }),
  'service.publish()': () =>
    application()
      .service('messages')
      .publish('craeted', () => null),
  'socketio()': () => socketio(wrong, wrong),
  'sync()': () => sync(wrong),
  'table()': () => table(5 as any),
  'toListener()': () => toListener(alula(), wrong),
  'toMiddleware()': () => onExpress.toMiddleware(wrong),
  'toOpenApi()': () => toOpenApi(wrong),
  'transaction.start()': () => (transaction.start as any)(wrong)
}

const author = one('users', { from: 'id' })
const circular: any = { query: {} }

circular.query.self = circular.query

const ASYNC_CALLS: { readonly [name: string]: () => Promise<unknown> } = {
  'app.listen()': async () => await application().listen(0),
  'app.listen() of Express': async () =>
    await onExpress.express(createSecured({ secret: undefined })).listen(0),
  'app.listen() of Koa': async () => await onKoa.koa(createSecured({ secret: undefined })).listen(0),
  'app.setup()': async () => await createSecured({ secret: undefined }).setup(),
  'app.setup() with a relation': async () =>
    await alula()
      .use('notes', memory(), { schema: schema(Note, { relations: { author } }) })
      .setup(),
  'service.find() of a client': async () =>
    await client
      .alula()
      .configure(client.rest('http://localhost').fetch(fetch))
      .service('notes')
      .find(circular),
  'service.find() with hashPassword': async () =>
    await application()
      .service('messages')
      .hooks({ after: { find: [hashPassword('x')] } })
      .find(),
  'service.find() with transaction.start': async () =>
    await application()
      .service('messages')
      .hooks({ before: { find: [transaction.start as any] } })
      .find(),
  'service.find() with validate': async () =>
    await application()
      .service('messages')
      .hooks({ before: { find: [validate()] } })
      .find(),
  'service.createAccessToken()': async () =>
    await createSecured({ secret: undefined }).service('authentication').createAccessToken({}),
  'withTransaction()': async () => await withTransaction(wrong, wrong)
}

const CALLS = { ...SYNC_CALLS, ...ASYNC_CALLS }

it.each(Object.entries(CALLS))('the stack of a wrong call of %s begins at its line', async (name, call) => {
  const error = await catchError(call)
  const [file, line] = toPlace(toFrames(error)[0])

  expect(error.code).toMatch(/^ALULA_/)
  expect(file).toBe(import.meta.filename)
  expect(LINES.slice(0, line).findLast((text) => /^ {2}'.+': (async )?\(\) =>/.test(text))).toContain(
    ` '${name}': `
  )
})

it('the stack of a wrong call in a hook begins at the line of the hook', async () => {
  const service = application().service('messages')

  service.hooks({ before: { find: [() => memory(wrong)] } })

  const [, line] = toPlace(toFrames(await catchError(() => service.find()))[0])

  expect(LINES[line - 1]).toContain('[() => memory(wrong)]')
})

it('a stack has as many frames as a program wants, however many frames of alula there are', async () => {
  const limit = Error.stackTraceLimit

  onTestFinished(() => {
    Error.stackTraceLimit = limit
  })
  Error.stackTraceLimit = 2

  const frames = toFrames(await catchError(SYNC_CALLS['app.use() with a schema'] as () => unknown))

  expect(Error.stackTraceLimit).toBe(2)
  expect(frames).toHaveLength(2)
  expect(toPlace(frames[0])[0]).toBe(import.meta.filename)
})

it('frames of alula-testing are dropped as well', async () => {
  const folder = await createFolder()
  const file = join(folder, 'node_modules/alula-testing/index.mjs')

  await mkdir(resolve(file, '..'), { recursive: true })
  await writeFile(file, "export const check = (create) => create('ALULA_INVALID_OPTION', 'It is wrong')")

  const { check } = await import(/* @vite-ignore */ file)

  expect(toPlace(toFrames(check(createError))[0])[0]).toBe(import.meta.filename)
})

it('a message of several lines stays whole', () => {
  const message = 'Invalid:\n    at create (/alula/utils/developer-error.ts:1:1)\n    at home'
  const { stack } = createError('ALULA_INVALID_OPTION', message)

  expect(stack).toMatch(`Error: ${message} (ALULA_INVALID_OPTION)\n`)
  expect(toPlace(stack?.split('\n')[3])[0]).toBe(import.meta.filename)
})

it('the stack is whole where no frame of a developer is left', async () => {
  const errors: Error[] = []

  // Without a function of this file, in which the stack would begin.
  setImmediate('It is wrong')
    .then(createError.bind(undefined, 'ALULA_INVALID_OPTION'))
    .then(errors.push.bind(errors))
  await expect.poll(() => errors.length).toBe(1)

  expect(toFrames(errors[0] as Error)[0]).toContain('developer-error.ts')
})

it('an installed package shows the line, and has the section that help names', async () => {
  const cwd = createPackageFolder()
  const program = join(cwd, 'app.mjs')

  onTestFinished(() => rm(cwd, { recursive: true }))
  await writeFile(program, "import { memory } from 'alula/memory'\n\nmemory({ wrong: true })\n")

  const { stderr } = await promisify(execFile)(process.execPath, [program], { cwd }).catch((error) => error)
  const [, path = '', code = ''] = /help: '(.+)#(.+)'/.exec(stderr) ?? []

  expect(stderr).toMatch(/\(ALULA_UNKNOWN_OPTION\)\n {4}at .*app\.mjs:3:1/)
  expect(await readFile(join(cwd, path), 'utf8')).toContain(`\n## ${code.toUpperCase()}\n`)
})

it('the stack is whole in a bundle, whose only file is that of the developer as well', async () => {
  const folder = await createFolder()
  const outfile = join(folder, 'utils/bundle.mjs')
  const source = `
    import { memory } from './src/memory.ts'
    export function callWrongly() { memory({ wrong: true }) }`

  await build({
    stdin: { contents: source, resolveDir: resolve(import.meta.dirname, '..') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile
  })

  const { callWrongly } = await import(/* @vite-ignore */ outfile)
  const frames = toFrames(await catchError(callWrongly))

  expect(frames[0]).toMatch(/ create\d* \(.*bundle\.mjs/)
  expect(frames.length).toBeLessThanOrEqual(Error.stackTraceLimit)
  expect(frames.join('\n')).toContain('callWrongly')
})

async function catchError(call: () => unknown): Promise<any> {
  try {
    await call()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown')
}

function toFrames({ stack = '' }: Error): string[] {
  return stack.split('\n').filter((line) => /^ +at /.test(line))
}

function toPlace(frame = ''): [file: string, line: number] {
  const [, file = '', line] = /^ +at (?:.*\()?(?:file:\/\/)?(.+):(\d+):\d+\)?$/.exec(frame) ?? []

  return [file, Number(line)]
}

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alula-stack-'))

  onTestFinished(() => rm(folder, { recursive: true }))

  return folder
}
