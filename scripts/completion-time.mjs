// How long an editor waits for the names in a query of a service with three relations, asked of the language server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createReport } from './support/report.mjs'
import { createTempFolder } from './support/temp.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SERVER = join(ROOT, 'node_modules/typescript/lib/tsserver.js')

/**
 * Milliseconds of the processor, as the median of several: the clock would count what else the machine does. Each is asked for
 * after a change of the file, as while somebody types.
 */
const BUDGET = 300
const RUNS = 9

const PROGRAM = `
import { type Application } from 'alula'
import { count, many, one, schema, typed, type ServiceOf } from 'alula/schema'
import { z } from 'zod'

const User = z.object({ id: z.int(), name: z.string(), joined: z.date() })
const Comment = z.object({ id: z.int(), noteId: z.int(), text: z.string() })
const Note = z.object({ id: z.int(), text: z.string(), done: z.boolean().default(false), ownerId: z.int() })
const users = schema(User, { hidden: ['joined'] })
const notes = schema(Note, {
  relations: {
    author: one(typed<typeof users>('users'), { from: 'ownerId', filter: ['name'] }),
    comments: many(typed<z.output<typeof Comment>>('comments'), { to: 'noteId' }),
    commentCount: count('comments', { to: 'noteId' })
  }
})

declare const app: Application<{ notes: ServiceOf<typeof notes>; users: ServiceOf<typeof users> }>

`

/** Where names are asked for, and one that has to be there. */
const PLACES = [
  ['a field', "app.service('notes').find({ query: { ‸ } })", 'text'],
  ['a field of a related record', "app.service('notes').find({ query: { 'author.‸' } })", 'author.name'],
  ['a name to sort by', "app.service('notes').find({ query: { $sort: { ‸ } } })", 'commentCount'],
  ['a relation', "app.service('notes').find({ query: { $include: ['‸'] } })", 'comments']
]

const report = createReport()
const file = writeProject(createTempFolder())
const server = startServer()

// Loads the project, which editors do once.
await measure("app.service('users').find({ query: { ‸ } })")

for (const [what, program, name] of PLACES) {
  await report.check(`completion of ${what}`, async () => {
    const outcomes = []

    for (let run = 0; run < RUNS; run++) outcomes.push(await measure(`// ${run}\n${program}`))

    const { names } = outcomes[0]
    const median = Math.round(outcomes.map(({ time }) => time).sort((a, b) => a - b)[RUNS >> 1])

    if (!names.includes(name)) throw new Error(`'${name}' is not among ${names.slice(0, 20).join(', ')}`)
    if (median > BUDGET) throw new Error(`It takes ${median} ms, and the budget is ${BUDGET}`)

    return `${median} ms of ${BUDGET}`
  })
}

server.stop()
report.finish()

/** Writes a program, and asks for the names that could stand at its mark. */
async function measure(program) {
  const before = (PROGRAM + program).split('‸')[0].split('\n')

  server.tell('open', { file, fileContent: PROGRAM + program.replace('‸', '') })

  const begin = await server.getProcessorTime()
  const { body } = await server.ask('completionInfo', {
    file,
    line: before.length,
    offset: before.at(-1).length + 1
  })

  return {
    time: (await server.getProcessorTime()) - begin,
    names: (body?.entries ?? []).map(({ name }) => name)
  }
}

function writeProject(folder) {
  const paths = {
    zod: [join(ROOT, 'node_modules/zod/index.d.ts')],
    alula: [join(ROOT, 'dist/index.d.ts')],
    'alula/*': [join(ROOT, 'dist/*.d.ts')]
  }
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    types: [],
    paths
  }

  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  writeFileSync(join(folder, 'app.ts'), PROGRAM)

  return join(folder, 'app.ts')
}

/** Speaks the protocol of the language server: a line of JSON for each request. */
function startServer() {
  const counting = "process.on('message', () => process.send(process.cpuUsage()))"
  const child = spawn(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(counting)}`,
      SERVER,
      '--disableAutomaticTypingAcquisition'
    ],
    { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] }
  )
  const waiting = new Map()
  let last = 0

  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return

    const message = JSON.parse(line)

    waiting.get(message.request_seq)?.(message)
  })

  const tell = (command, args) => {
    last++
    child.stdin.write(`${JSON.stringify({ seq: last, type: 'request', command, arguments: args })}\n`)
  }

  return {
    tell,
    ask: (command, args) =>
      new Promise((resolve) => {
        tell(command, args)
        waiting.set(last, resolve)
      }),
    async getProcessorTime() {
      child.send('time')

      const [{ user, system }] = await once(child, 'message')

      return (user + system) / 1000
    },
    stop: () => child.kill()
  }
}
