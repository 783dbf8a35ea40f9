// Packages whose types are written with those of Feathers v5, and add to them: with two `paths` they compile.
import { join } from 'node:path'
import ts from 'typescript'
import { beforeAll, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const FILE = join(import.meta.dirname, 'hosted.ts')

/** Declarations, because they are what a package leaves of its types. Packages are found from there. */
const TYPES = join(ROOT, 'node_modules/.cache/alula-types')

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

beforeAll(() => {
  const options = { ...readOptions('tsconfig.build.json'), outDir: TYPES, emitDeclarationOnly: true }
  const { diagnostics } = ts
    .createProgram(
      [join(ROOT, 'src/index.ts'), join(ROOT, 'src/express.ts'), join(ROOT, 'src/memory.ts')],
      options
    )
    .emit()

  expect(diagnostics).toEqual([])
})

it.each([true, false])(
  'transport-commons, schema and feathers-casl compile: skipLibCheck %j',
  (skipLibCheck) => {
    expect(findErrors(skipLibCheck)).toEqual([])
  },
  240_000
)

function findErrors(skipLibCheck: boolean): string[] {
  const hosting: ts.CompilerOptions = {
    ...readOptions('tsconfig.json'),
    lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts', 'lib.dom.d.ts'],
    skipLibCheck,
    paths: {
      alula: [join(TYPES, 'index.d.ts')],
      'alula/*': [join(TYPES, '*.d.ts')],
      '@feathersjs/feathers': [join(TYPES, 'index.d.ts')],
      '@feathersjs/feathers/lib/declarations': [join(TYPES, 'core/types.d.ts')]
    }
  }
  const host = ts.createCompilerHost(hosting)
  const { fileExists, readFile } = host

  host.fileExists = (file) => file === FILE || fileExists(file)
  host.readFile = (file) => (file === FILE ? APPLICATION : readFile(file))

  const program = ts.createProgram([FILE], hosting, host)

  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
    .filter((error) => !isTheirs(error))
}

function readOptions(file: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, file), ts.sys.readFile)

  return ts.parseJsonConfigFileContent(config, ts.sys, ROOT).options
}

/** Types of feathers-casl import from packages that it does not install. */
function isTheirs(error: string): boolean {
  return error.includes('/node_modules/feathers-casl/') && error.includes('Cannot find module')
}
