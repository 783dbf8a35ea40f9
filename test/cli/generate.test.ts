import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { generateService } from '../../src/cli/generate.ts'
import { createFolder } from '../support/command.ts'

const SERVICES = `import { users } from './users/users.ts'

export function services(app: Application): void {
  app.configure(users)
}
`
const SAMPLES = `export const samples: { [path: string]: Sample } = {
  notes: { text: 'A' }
}
`

const DATABASE = { 'src/database.ts': 'export const db = new Kysely({ dialect: createDialect() })' }

/** Goes to the folder of an application with some dependencies. */
function enter(
  dependencies: object,
  extension = 'ts',
  files: { readonly [path: string]: string } = {}
): string {
  const folder = createFolder({
    'package.json': JSON.stringify({ dependencies }),
    [`src/services.${extension}`]: SERVICES,
    ...files,
    [`src/test/samples.${extension}`]: SAMPLES
  })
  const cwd = process.cwd()

  process.chdir(folder)
  onTestFinished(() => process.chdir(cwd))

  return folder
}

it('a service is written, registered, and has a sample', () => {
  const folder = enter({ kysely: '1', pg: '1' }, 'ts', DATABASE)
  const { code, output } = generateService('service', 'order-lines')
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  const [, migration = ''] = /created {2}(src\/migrations\/.*)/.exec(output) ?? []

  expect(code).toBe(0)
  expect(read('src/services.ts')).toBe(`import { orderLines } from './order-lines/order-lines.ts'
import { users } from './users/users.ts'

export function services(app: Application): void {
  app.configure(users)
  app.configure(orderLines)
}
`)
  expect(read('src/test/samples.ts')).toContain(`{\n  'order-lines': { title: 'A title' },\n  notes`)
  expect(read('src/order-lines/order-lines.ts')).toContain("access: access({ all: owner('ownerId') })")
  expect(read(migration)).toContain('generatedByDefaultAsIdentity()')
  expect(output).toContain('Create the table: npm run migrate')
  expect(output).toContain('src/test/samples.ts\n')
  expect(output).toContain('src/order-lines/order-lines.ts, src/order-lines/order-lines.test.ts\n')
})

it.each(['form-schemas', 'data-migrations'])(
  'the fields of %s are in its schema and its migration',
  (name) => {
    enter({ kysely: '1', pg: '1' }, 'ts', DATABASE)

    const { output } = generateService('service', name)
    const stem = `src/${name}/${name}`

    expect(output).toMatch(
      new RegExp(`^Edit the fields: ${stem}\\.schema\\.ts, src/migrations/[-\\d]+-${name}\\.ts$`, 'm')
    )
    expect(output).toContain(`Edit the rules of access and their test: ${stem}.ts, ${stem}.test.ts\n`)
  }
)

it('imports and calls on several lines stay whole', () => {
  const folder = enter({}, 'ts', {
    'src/services.ts': `import { notes } from './notes/notes.ts'
import {
  upload
} from './upload.ts'

export function services(app: Application): void {
  app.configure(notes)
  app.configure(
    upload({ limit: 5 })
  )

  if (isDevelopment) {
    app.configure(seed)
  }
}
`
  })

  for (const name of ['tasks', 'votes']) generateService('service', name)

  expect(readFileSync(join(folder, 'src/services.ts'), 'utf8')).toBe(`import { notes } from './notes/notes.ts'
import { tasks } from './tasks/tasks.ts'
import {
  upload
} from './upload.ts'
import { votes } from './votes/votes.ts'

export function services(app: Application): void {
  app.configure(notes)
  app.configure(
    upload({ limit: 5 })
  )
  app.configure(tasks)
  app.configure(votes)

  if (isDevelopment) {
    app.configure(seed)
  }
}
`)
})

it('a call whose end is not found is left for the developer', () => {
  const services = `import { users } from './users/users.ts'

export function services(app: Application): void {
  app.configure(
upload({ limit: 5 })
  )
}
`
  const folder = enter({}, 'ts', { 'src/services.ts': services })

  expect(() => generateService('service', 'tasks')).toThrow('Register the service there by hand.')
  expect(readFileSync(join(folder, 'src/services.ts'), 'utf8')).toBe(services)
  expect(existsSync(join(folder, 'src/tasks'))).toBe(false)
})

it('each migration sorts after those that are there, also within one second', () => {
  const folder = enter({ kysely: '1' }, 'ts', DATABASE)
  const list = () => readdirSync(join(folder, 'src/migrations')).sort()

  for (const name of ['projects', 'members', 'letters']) generateService('service', name)

  expect(list().map((name) => name.replace(/^[-\d]+-|\.ts$/g, ''))).toEqual([
    'projects',
    'members',
    'letters'
  ])

  writeFileSync(join(folder, 'src/migrations/2999-01-02-notes.ts'), '')
  generateService('service', 'bills')
  expect(list().at(-1)).toBe('2999-01-03-00-00-00-bills.ts')
})

it('in JavaScript without a database there are no types and no migration', () => {
  const folder = enter({}, 'js')

  expect(generateService('service', 'tasks').output).not.toContain('migrat')

  const service = readFileSync(join(folder, 'src/tasks/tasks.js'), 'utf8')

  expect(service).toContain("import { memory } from 'alula/memory'")
  expect(service).not.toMatch(/: Application|declare module|<Task>/)
  expect(existsSync(join(folder, 'src/migrations'))).toBe(false)
})

it('what exists already is not overwritten, and nothing is half-written', () => {
  const folder = enter({})

  generateService('service', 'tasks')

  const before = readFileSync(join(folder, 'src/services.ts'), 'utf8')

  expect(() => generateService('service', 'tasks')).toThrow(
    "There is a file 'src/tasks/tasks.schema.ts' already."
  )
  expect(readFileSync(join(folder, 'src/services.ts'), 'utf8')).toBe(before)
})

it.each([
  ['hook', 'tasks', "Unknown kind 'hook'."],
  ['service', '../tasks', "The name '../tasks' is not possible"],
  ['service', 'import', "The name 'import' is not possible: it is a word of JavaScript."],
  ['service', 'arguments', "The name 'arguments' is not possible: it is a word of JavaScript."],
  ['service', 'eval', "The name 'eval' is not possible: it is a word of JavaScript."],
  [
    'service',
    'access',
    "The name 'access' is not possible: the application has something else of this name."
  ],
  ['service', 'docs', "The name 'docs' is not possible: the application has something else of this name."],
  ['service', 'tasks', 'There is no src/services.ts here.']
])('%s %s says what is wrong', (kind, name, sentence) => {
  expect(() => generateService(kind, name)).toThrow(sentence)
})

it('a name of the files themselves is not taken twice', () => {
  const folder = enter({})
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')

  generateService('service', 'applications')
  generateService('service', 'dates')
  generateService('service', 'service-ofs')
  generateService('service', 'maps')

  expect(read('src/applications/applications.schema.ts')).toContain('export const ApplicationRecord = ')
  expect(read('src/applications/applications.ts')).toContain("import type { Application } from '../decl")
  expect(read('src/applications/applications.ts')).toContain('memory<ApplicationRecord>')
  expect(read('src/dates/dates.schema.ts')).toContain('export const DateRecord = ')
  expect(read('src/maps/maps.schema.ts')).toContain('export const MapRecord = ')
  expect(read('src/service-ofs/service-ofs.ts')).toContain("import type { ServiceOf } from 'alula/schema'")
  expect(read('src/service-ofs/service-ofs.ts')).toContain('type ServiceOfRecord, serviceOfRecordSchema }')
})

it('packages of other databases, which an application had before, decide nothing', () => {
  const folder = enter({ pg: '1', kysely: '1' })
  const list = () => readdirSync(join(folder, 'src'), { recursive: true }).map(String)

  generateService('service', 'tasks')
  expect(list().some((path) => path.startsWith('migrations'))).toBe(false)

  writeFileSync(join(folder, 'src/database.ts'), 'new Kysely({ dialect: new SqliteDialect({ database }) })')
  generateService('service', 'bills')

  const migration = list().find((path) => path.endsWith('-bills.ts')) as string

  expect(readFileSync(join(folder, 'src', migration), 'utf8')).toContain('.autoIncrement()')
})

it.each([
  ["import { order1 } from './order1/order1.ts'", 'order-1', 'order1'],
  ["import { a, b as cache } from './cache.ts'", 'cache', 'cache'],
  ["import * as cache from './cache.ts'", 'cache', 'cache'],
  ["import type { A } from './a.ts'\nimport cache, {\n  b\n} from './cache.ts'", 'cache', 'cache'],
  ['const cache = new Map()', 'cache', 'cache'],
  ['export async function cache() {}', 'cache', 'cache']
])('%j: a name that the list of services has already is refused', (line, name, variable) => {
  const services = `${line}\n${SERVICES}`
  const folder = enter({}, 'ts', { 'src/services.ts': services })

  expect(() => generateService('service', name)).toThrow(
    `The name '${name}' is not possible: 'src/services.ts' has something else with the name '${variable}'.`
  )
  expect(readFileSync(join(folder, 'src/services.ts'), 'utf8')).toBe(services)
  expect(existsSync(join(folder, `src/${name}`))).toBe(false)
})

it('a path that contains the name is no other variable', () => {
  enter({}, 'ts', {
    'src/services.ts': `import { a as cacheOf, cache as b } from './cache.ts' // cache\n${SERVICES}`
  })

  expect(generateService('service', 'cache').code).toBe(0)
})

it('with line ends of Windows the changed files keep them', () => {
  const toWindows = (text: string) => text.replaceAll('\n', '\r\n')
  const folder = enter({}, 'ts', { 'src/services.ts': toWindows(SERVICES) })
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')

  writeFileSync(join(folder, 'src/test/samples.ts'), toWindows(SAMPLES))
  for (const name of ['tasks', 'votes']) expect(generateService('service', name).code).toBe(0)

  const services = read('src/services.ts')

  for (const text of [services, read('src/test/samples.ts')]) expect(text).not.toMatch(/(?<!\r)\n/)
  expect(services).toContain(
    "'./tasks/tasks.ts'\r\nimport { users } from './users/users.ts'\r\nimport { votes } from"
  )
  expect(services).toContain(
    '  app.configure(users)\r\n  app.configure(tasks)\r\n  app.configure(votes)\r\n}\r\n'
  )
  expect(read('src/test/samples.ts')).toContain("= {\r\n  votes: { title: 'A title' },\r\n  tasks: {")
})

it('in an application that the API was added to, the service belongs to the API', () => {
  const folder = enter({}, 'js', {
    'api/mount.js': '',
    'api/services.js': SERVICES,
    'api/test/samples.js': SAMPLES
  })

  expect(generateService('service', 'tasks').output).toContain('created  api/tasks/tasks.schema.js')
  expect(existsSync(join(folder, 'src/tasks'))).toBe(false)
})
