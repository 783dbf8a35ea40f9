// How long the language server of an editor takes for the names in a query of a service with three relations. Each time
// the file has changed, as while somebody types: all types of the file are made anew. The first row is the same record and
// query as types by hand, in a file that has the schemas of Zod too; its libraries are loaded before.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from '../node_modules/typescript/lib/typescript.js'
import { divide, formatSpread, printTable, runRounds, scaleRounds, toPath } from './lib.mjs'

const SCHEMAS = `
import { z } from 'zod'

const User = z.object({ id: z.int(), name: z.string(), joined: z.date() })
const Comment = z.object({ id: z.int(), noteId: z.int(), text: z.string() })
const Note = z.object({ id: z.int(), text: z.string(), done: z.boolean().default(false), ownerId: z.int() })
`

const BY_HAND = `${SCHEMAS}
type Condition<Value> = Value | { $gt?: Value; $in?: Value[] }
type Conditions<Record> = { [Field in keyof Record]?: Condition<Record[Field]> }
type Author = { [Field in keyof z.infer<typeof User> as \`author.\${Field}\`]?: Condition<z.infer<typeof User>[Field]> }
type NoteQuery = Conditions<z.infer<typeof Note>> & Author & {
  $sort?: { [Field in keyof z.infer<typeof Note> | 'commentCount']?: 1 | -1 }
  $include?: ('author' | 'comments' | 'commentCount')[]
}

declare const notes: { find(params?: { query?: NoteQuery }): Promise<z.infer<typeof Note>[]> }

notes`

const DECLARED = `
import { type Application } from 'alula'
import { count, many, one, schema, typed, type ServiceOf } from 'alula/schema'
${SCHEMAS}
const users = schema(User, { hidden: ['joined'] })
const notes = schema(Note, {
  relations: {
    author: one(typed<typeof users>('users'), { from: 'ownerId', filter: ['name'] }),
    comments: many(typed<z.output<typeof Comment>>('comments'), { to: 'noteId' }),
    commentCount: count('comments', { to: 'noteId' })
  }
})

declare const app: Application<{ notes: ServiceOf<typeof notes>; users: ServiceOf<typeof users> }>

app.service('notes')`

/** Where names are asked for. */
const PLACES = {
  'a field': '.find({ query: { ‸ } })',
  'a field of a related record': ".find({ query: { 'author.‸' } })",
  'a name to sort by': '.find({ query: { $sort: { ‸ } } })',
  'a relation': ".find({ query: { $include: ['‸'] } })"
}

const CONTESTANTS = { 'types by hand': BY_HAND, alula: DECLARED }

const ROOT = toPath('..')
const folder = mkdtempSync(join(tmpdir(), 'alula-completion-'))
const services = Object.fromEntries(
  Object.entries(CONTESTANTS).map(([name, program]) => [name, createEditor(join(folder, 'app.ts'), program)])
)
const rows = []

for (const [place, call] of Object.entries(PLACES)) {
  const times = await runRounds(Object.keys(CONTESTANTS), scaleRounds(21) + 2, async (name) =>
    services[name](call)
  )
  // The first two rounds load the project and warm the compiler up.
  const [byHand, declared] = [...times.values()].map((all) => all.slice(2))

  rows.push([
    place,
    formatSpread(byHand, 0),
    formatSpread(declared, 0),
    formatSpread(divide(declared, byHand), 1)
  ])
}

rmSync(folder, { recursive: true })
printTable('CPU time of a completion', ['names of', 'by hand, ms', 'alula, ms', 'ratio'], rows)

/** Returns a function that writes a call after a program, and takes the time until its names are there. */
function createEditor(file, program) {
  const options = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    types: [],
    paths: {
      zod: [join(ROOT, 'node_modules/zod/index.d.ts')],
      alula: [join(ROOT, 'dist/index.d.ts')],
      'alula/*': [join(ROOT, 'dist/*.d.ts')]
    }
  }
  let version = 0
  let source = ''

  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : '1'),
    getScriptSnapshot: (name) => {
      const text = name === file ? source : ts.sys.readFile(name)

      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists
  })

  return (call) => {
    const marked = `// ${++version}\n${program}${call}`

    source = marked.replace('‸', '')

    const start = process.cpuUsage()
    const completions = service.getCompletionsAtPosition(file, marked.indexOf('‸'), {})
    const { user, system } = process.cpuUsage(start)

    if (!completions?.entries.length) throw new Error(`No names are offered for ${call}`)

    return (user + system) / 1000
  }
}
