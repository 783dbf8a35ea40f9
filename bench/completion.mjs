// How long an editor waits for the names in a query of a service with three relations: from the change of the file, after
// which all of its types are made anew, to the response of `tsserver`. The first column is the same record and query as types
// by hand, in a file that has the schemas of Zod too.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
const TSSERVER = join(ROOT, 'node_modules/typescript/lib/tsserver.js')
const OPTIONS = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  skipLibCheck: true,
  types: [],
  paths: {
    zod: [join(ROOT, 'node_modules/zod/index.d.ts')],
    alula: [join(ROOT, 'dist/index.d.ts')],
    'alula/*': [join(ROOT, 'dist/*.d.ts')]
  }
}
const folder = mkdtempSync(join(tmpdir(), 'alula-completion-'))
const editors = Object.fromEntries(
  Object.entries(CONTESTANTS).map(([name, program], index) => [
    name,
    createEditor(join(folder, String(index)), program)
  ])
)
const rows = []

for (const [place, call] of Object.entries(PLACES)) {
  const times = await runRounds(Object.keys(CONTESTANTS), scaleRounds(21) + 2, (name) =>
    editors[name].complete(call)
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

for (const editor of Object.values(editors)) editor.close()
rmSync(folder, { recursive: true })
printTable('Time until a completion is there', ['names of', 'by hand, ms', 'alula, ms', 'ratio'], rows)

/** Starts a server for one file. `complete` writes a call after its program, and resolves to the milliseconds until its names are there. */
function createEditor(project, program) {
  const file = join(project, 'app.ts')
  const server = spawn(process.execPath, [TSSERVER, '--disableAutomaticTypingAcquisition'], {
    stdio: ['pipe', 'pipe', 'inherit']
  })
  const responses = readMessages(server.stdout)
  let count = 0

  const send = (command, args) => {
    server.stdin.write(`${JSON.stringify({ seq: ++count, type: 'request', command, arguments: args })}\n`)

    return count
  }
  const write = (text) => send('open', { file, fileContent: text, projectRootPath: project })

  mkdirSync(project)
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }))
  writeFileSync(file, program)

  return {
    async complete(call) {
      const marked = `// ${count}\n${program}${call}`
      const before = marked.slice(0, marked.indexOf('‸')).split('\n')
      const start = performance.now()

      write(marked.replace('‸', ''))

      const request = send('completionInfo', { file, line: before.length, offset: before.at(-1).length + 1 })

      // With `for await`, the first response would be the last.
      for (let next = await responses.next(); !next.done; next = await responses.next()) {
        const { type, request_seq: answered, body } = next.value

        if (type !== 'response' || answered !== request) continue
        if (!body?.entries.length) throw new Error(`No names are offered for ${call}`)

        return performance.now() - start
      }

      throw new Error('The server has ended')
    },
    close: () => server.kill()
  }
}

/** The messages of a server: each is a header, an empty line, and as many bytes of JSON as the header says. */
async function* readMessages(stream) {
  let rest = Buffer.alloc(0)

  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk])

    for (let message = takeMessage(rest); message; message = takeMessage(rest)) {
      rest = message.rest
      yield JSON.parse(message.text)
    }
  }
}

function takeMessage(bytes) {
  const end = bytes.indexOf('\r\n\r\n')
  const [, length] = /Content-Length: (\d+)/.exec(bytes.subarray(0, Math.max(end, 0)).toString()) ?? []
  const start = end + 4
  const stop = start + Number(length)

  if (length === undefined || bytes.length < stop) return undefined

  return { text: bytes.subarray(start, stop).toString(), rest: bytes.subarray(stop) }
}
