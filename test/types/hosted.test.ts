// Packages whose types are written with those of Feathers v5, and add to them: with three `paths` they compile.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const run = promisify(execFile)

const ROOT = join(import.meta.dirname, '../..')

const APPLICATION = `
import '@feathersjs/transport-commons'
import { hooks as schemaHooks, resolve } from '@feathersjs/schema'
import { authorize, feathersCasl } from 'feathers-casl'
import express, { type Application as ExpressApplication, json, rest } from 'alula/express'
import { feathers, type HookContext as FeathersContext } from 'alula'
import { type MemoryService, memory } from 'alula/memory'

interface Note { id: number; text: string }
interface ServiceTypes { notes: MemoryService<Note> }
type Application = ExpressApplication<ServiceTypes, { port: number }>
type HookContext<S = any> = FeathersContext<Application, S>

const app: Application = express(feathers())
const resolver = resolve<Note, HookContext<MemoryService<Note>>>({ text: async (value) => value })

app.use(json())
app.configure(rest())
app.configure(feathersCasl({}))
app.use('notes', memory<Note>({ paginate: { default: 10 } }))
app.service('notes').hooks({
  around: { all: [schemaHooks.resolveExternal(resolver)] },
  before: { all: [authorize()], create: [schemaHooks.resolveData(resolver)] },
  after: { all: [authorize()] }
})
app.service('notes').publish((_data, context) => context.app.channel('notes'))
export const found = app.lookup('notes/1')
`

/** As in feathers-authentication-management, which has a client in the same module. */
const PLUGIN = `
import type { AuthenticationClient } from '@feathersjs/authentication-client'
import type { Application } from '@feathersjs/feathers'

export default function plugin(options: object): (app: Application) => void
export interface ClientOptions { authentication?: AuthenticationClient; storage?: AuthenticationClient['storage'] }
`

const CLIENT = `
import plugin, { type ClientOptions } from './plugin.js'
import { type Application as ServerApplication, alula } from 'alula'
import { type Application, authentication, feathers, rest } from 'alula/client'
import type { MemoryService } from 'alula/memory'

interface ServiceTypes { notes: MemoryService<{ id: number }> }

export const server: ServerApplication<ServiceTypes> = alula<ServiceTypes>().configure(plugin({}))
export const client: Application<ServiceTypes> = feathers<ServiceTypes>()

client.configure(rest('http://localhost:3030').fetch(fetch))
client.configure(authentication())
export const options: ClientOptions = { authentication: client.authentication }
`

// Without `skipLibCheck`, which only leaves out what is wrong with the declarations of packages.
it.each([
  ['transport-commons, schema and feathers-casl', { 'app.ts': APPLICATION }],
  ['a plugin with a client, beside a client of alula,', { 'plugin.d.ts': PLUGIN, 'app.ts': CLIENT }]
])(
  '%s compile',
  async (_what, files) => {
    expect(await findErrors(files)).toEqual([])
  },
  240_000
)

/** Compiles an application against what `npm run build` has made, as a consumer would. */
async function findErrors(files: { readonly [name: string]: string }): Promise<string[]> {
  // In here, so that the packages are found.
  const cache = join(ROOT, 'node_modules/.cache')

  await mkdir(cache, { recursive: true })

  const folder = await mkdtemp(join(cache, 'alula-hosted-'))
  const options = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: true,
      lib: ['es2023', 'es2024.string', 'dom'],
      skipLibCheck: false,
      paths: {
        alula: [join(ROOT, 'dist/index.d.ts')],
        'alula/*': [join(ROOT, 'dist/*.d.ts')],
        '@feathersjs/feathers': [join(ROOT, 'dist/index.d.ts')],
        '@feathersjs/feathers/lib/declarations': [join(ROOT, 'dist/core/types.d.ts')],
        '@feathersjs/authentication-client': [join(ROOT, 'dist/client.d.ts')]
      }
    },
    include: ['app.ts']
  }

  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options))

  const compiler = join(ROOT, 'node_modules/typescript7/bin/tsc')
  const errors = await run(process.execPath, [compiler, '-p', folder, '--pretty', 'false']).then(
    () => [],
    ({ stdout, stderr }) => `${stdout}${stderr}`.trim().split('\n')
  )

  return errors.filter((error) => !isTheirs(error))
}

/** Types of feathers-casl import from packages that it does not install. */
function isTheirs(error: string): boolean {
  return error.includes('node_modules/feathers-casl/') && error.includes('TS2307')
}
