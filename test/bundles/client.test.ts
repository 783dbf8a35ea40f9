import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { AuthenticationService, hashPassword, JWTStrategy, LocalStrategy } from '../../src/authentication.ts'
import express, { rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { SECRET } from '../support/login.ts'
import { readBlocks, readPage, readSection } from '../support/page.ts'
import { serve } from '../support/server.ts'
import { BUNDLERS, createEmptyFolder, createFullFolder, describeBundlers, rollup } from './support.ts'

// What bundlers make of the client logs in and calls a service, where nothing of Node is there.

const ROOT = join(import.meta.dirname, '../..')

const CALLS = `
const user = { email: 'ada@example.org', password: 'correct horse' }

async function main() {
  await app.service('users').create(user)
  await app.authenticate({ strategy: 'local', ...user })

  return await app.service('notes').create({ text: 'Buy milk' })
}

globalThis.outcome = main()
`

const PROGRAMS = {
  HTTP: `
import { alula, authentication, rest } from 'alula/client'

const app = alula().configure(rest(globalThis.url).fetch(fetch)).configure(authentication())
${CALLS}`,
  'Socket.IO': `
import { alula, authentication, socketio } from 'alula/client'
import { io } from 'socket.io-client'

const socket = globalThis.socket = io(globalThis.url, { transports: ['websocket'] })
const app = alula().configure(socketio(socket, { timeout: 5000 })).configure(authentication())
${CALLS}`
}

/** What a browser has beside the language. */
const BROWSER = {
  ...{
    AbortController,
    AbortSignal,
    Blob,
    clearTimeout,
    console,
    Event,
    EventTarget,
    fetch,
    FormData,
    Headers
  },
  ...{
    queueMicrotask,
    Request,
    Response,
    setTimeout,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    WebSocket
  }
}

const BUNDLERS_FOR_CLIENTS: { readonly [name: string]: (program: string) => Promise<string> } = {
  esbuild: bundleByCommand,
  Vite: bundleByVite,
  Rollup: bundleByRollup,
  webpack: bundleByWebpack
}

async function startServer(): Promise<string> {
  const app = express(alula())
  const authentication = new AuthenticationService(app)

  app.set('authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'local'],
    local: { usernameField: 'email', passwordField: 'password' }
  })
  app.configure(rest())
  app.configure(socketio())
  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())
  app.use('authentication', authentication)
  app.use('users', memory({ startId: 1 }))
  app.service('users').hooks({ before: { create: [hashPassword('password')] } })
  app.use('notes', memory({ startId: 1 }))

  return await serve(app as any)
}

/** The command of the page on bundling. */
async function bundleByCommand(program: string): Promise<string> {
  const [command] = readBlocks(readSection(await readPage('bundling'), 'A client'), 'sh') as [string]
  const folder = createFullFolder()

  await writeFile(join(folder, 'client.mjs'), program)
  await promisify(execFile)(
    'sh',
    ['-c', command.replace('npx esbuild', join(ROOT, 'node_modules/.bin/esbuild'))],
    { cwd: folder }
  )

  return await readFile(join(folder, 'client.js'), 'utf8')
}

async function bundleByVite(program: string): Promise<string> {
  const { build } = await import('vite')
  const folder = createFullFolder()

  await writeFile(join(folder, 'client.mjs'), program)
  await build({
    configFile: false,
    root: folder,
    logLevel: 'silent',
    build: { lib: { entry: 'client.mjs', formats: ['iife'], name: 'client', fileName: () => 'client.js' } }
  })

  return await readFile(join(folder, 'dist/client.js'), 'utf8')
}

async function bundleByRollup(program: string): Promise<string> {
  const file = join(createEmptyFolder(), 'client.js')

  await rollup('A client', program, 'iife', file)

  return await readFile(file, 'utf8')
}

async function bundleByWebpack(program: string): Promise<string> {
  const webpack = createRequire(join(BUNDLERS, 'webpack/package.json'))('webpack')
  const folder = createFullFolder()

  await writeFile(join(folder, 'client.mjs'), program)

  const compiler = webpack({
    mode: 'production',
    context: folder,
    entry: './client.mjs',
    output: { path: folder }
  })
  const stats = await promisify(compiler.run.bind(compiler))()

  await promisify(compiler.close.bind(compiler))()
  expect(stats.toJson({ all: false, errors: true }).errors).toEqual([])

  return await readFile(join(folder, 'main.js'), 'utf8')
}

/** Runs a bundle, and returns the record that it has created. */
async function runInBrowser(bundle: string, url: string): Promise<unknown> {
  const page: any = createContext({ ...BROWSER, url })

  page.globalThis = page.self = page.window = page
  runInContext(bundle, page)

  try {
    return { ...(await page.outcome) }
  } finally {
    page.socket?.disconnect()
  }
}

describeBundlers('a client', () => {
  it.each(
    Object.keys(BUNDLERS_FOR_CLIENTS).flatMap((bundler) =>
      Object.entries(PROGRAMS).map(([transport, program]) => ({ bundler, transport, program }))
    )
  )('bundled by $bundler logs in and creates a record over $transport', async ({ bundler, program }) => {
    const [url, bundle] = await Promise.all([
      startServer(),
      BUNDLERS_FOR_CLIENTS[bundler]?.(program) as Promise<string>
    ])

    expect(await runInBrowser(bundle, url)).toEqual({ id: 1, text: 'Buy milk' })
  })
})

it('a client has types without those of Node', async () => {
  const folder = createFullFolder()
  const compilerOptions = {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
    strict: true,
    noEmit: true
  }
  const program = `${PROGRAMS.HTTP.replace(/globalThis\.(?:url|outcome = )/g, '')}
    app.service('notes').on('created', (note) => console.log(note))
    // @ts-expect-error: the name of an event is a string
    app.service('notes').on(1, (note) => console.log(note))
    export {}`

  await writeFile(join(folder, 'client.ts'), program)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }))

  const tsc = join(ROOT, 'node_modules/typescript7/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--listFiles']).catch(
    (error) => error
  )

  expect(stdout).not.toContain('error TS')
  expect(stdout).not.toContain('@types/node')
})

it('the command of the page on transports makes a function for Lambda', async () => {
  const [transport, handler] = readBlocks(
    readSection(await readPage('writing-a-transport'), 'HTTP'),
    'js'
  ) as string[]
  const [command] = readBlocks(readSection(await readPage('writing-a-transport'), 'HTTP'), 'sh') as [string]
  const folder = createFullFolder()
  const application = `
import { alula } from 'alula'
import { memory } from 'alula/memory'

const app = alula()

app.use('notes', memory({ startId: 1 }))
await app.setup()
`

  await writeFile(join(folder, 'lambda.mjs'), `${transport}\n${application}\n${handler}`)
  await promisify(execFile)(
    'sh',
    ['-c', command.replace('npx esbuild', join(ROOT, 'node_modules/.bin/esbuild')).replace(/^zip .*$/m, '')],
    { cwd: folder }
  )

  const file = join(createEmptyFolder(), 'index.mjs')

  await writeFile(file, await readFile(join(folder, 'index.mjs')))

  const lambda = await import(file)
  const event = {
    rawPath: '/notes',
    rawQueryString: '',
    headers: { host: 'example.org', 'content-type': 'application/json' },
    body: '{"text":"Buy milk"}',
    requestContext: { http: { method: 'POST', sourceIp: '192.0.2.1' } }
  }

  expect(await lambda.handler(event)).toMatchObject({ statusCode: 201, body: '{"text":"Buy milk","id":1}' })
})
