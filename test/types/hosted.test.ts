// Packages whose types are written with those of Feathers v5, and add to them: with two `paths` they compile.
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

// Without `skipLibCheck`, which only leaves out what is wrong with the declarations of packages.
it('transport-commons, schema and feathers-casl compile', async () => {
  expect(await findErrors()).toEqual([])
}, 240_000)

/** Compiles the application against what `npm run build` has made, as a consumer would. */
async function findErrors(): Promise<string[]> {
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
        '@feathersjs/feathers/lib/declarations': [join(ROOT, 'dist/core/types.d.ts')]
      }
    },
    include: ['app.ts']
  }

  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'app.ts'), APPLICATION)
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
