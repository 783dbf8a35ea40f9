import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type CommandOutcome, UsageError } from './command-outcome.ts'
import { listRoots } from './roots.ts'
import { type Project, type ServiceNames, toServiceFiles } from './service-files.ts'

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** The date in the name of a migration; one without a time sorts after those of its day. */
const MIGRATION = /^(\d{4}-\d\d-\d\d)-(?:(\d\d)-(\d\d)-(\d\d)-)?/

/** Words of JavaScript that a name in a program cannot be. */
const RESERVED: readonly string[] = [
  'arguments await break case catch class const continue debugger default delete do else enum eval',
  'export extends false finally for function if implements import in instanceof interface let new',
  'null package private protected public return static super switch this throw true try',
  'typeof var void while with yield'
].flatMap((words) => words.split(' '))

/** Names that the files of a service, or the application, have for something else: `docs` is the path of the page. */
const TAKEN: readonly string[] = [
  ...['access', 'app', 'authentication', 'config', 'db', 'docs', 'kysely', 'memory', 'migrations'],
  ...['owner', 'seed', 'services']
]

/** Types that these files use, and classes of JavaScript, whose names linters guard. */
const TYPES: readonly string[] = [
  ...['Application', 'ServiceOf'],
  ...['Array', 'Boolean', 'Date', 'Error', 'Function', 'Map', 'Number', 'Object'],
  ...['Promise', 'Proxy', 'Set', 'String', 'Symbol']
]

/** With a longer name, lines of the files would be longer than formatters leave them. */
const MAX_NAME_LENGTH = 20

/**
 * Adds a service to the application in the current folder: new files, and a line in the list of services and in the samples of
 * the tests. `kind` is `service`; `name` is the path of the service, in lower case: `order-lines`. Returns what was written,
 * and what comes next. Throws UsageError for another kind, a name that is not possible, and a folder that is no such
 * application. Nothing is written then.
 */
export function generateService(kind: string, name: string): CommandOutcome {
  if (kind !== 'service') throw new UsageError(`Unknown kind '${kind}'. There is one: service.`)
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH) {
    throw new UsageError(
      `The name '${name}' is not possible: use lower-case letters, digits and '-', at most ${MAX_NAME_LENGTH}.`
    )
  }

  if (RESERVED.includes(name))
    throw new UsageError(`The name '${name}' is not possible: it is a word of JavaScript.`)
  if (TAKEN.includes(name))
    throw new UsageError(
      `The name '${name}' is not possible: the application has something else of this name.`
    )

  const project = findProject()
  const names = toNames(name)
  const created = toServiceFiles(names, project, findDate(project))
  const present = created.find(([path]) => existsSync(path))

  if (present) throw new UsageError(`There is a file '${present[0]}' already.`)

  const changed = [register(names, project), addSample(names, project)]

  for (const [path, content] of [...created, ...changed]) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }

  const paths = created.map(([path]) => path)
  const fields = paths.filter((path) => /\.schema\.|\/migrations\//.test(path))
  const rules = paths.filter((path) => !fields.includes(path))
  const run = `npm run ${project.root === 'api' ? 'api:' : ''}`
  const lines = [
    ...created.map(([path]) => `created  ${path}`),
    ...changed.map(([path]) => `changed  ${path}`),
    '',
    `Edit the fields: ${fields.join(', ')}`,
    `Edit what a client sends for a record: ${project.root}/test/samples.${project.extension}`,
    `Edit the rules of access and their test: ${rules.join(', ')}`,
    ...(project.database === 'memory' ? [] : [`Create the table: ${run}migrate`]),
    `Run the tests, and write exposure.json anew: ${run}test -- -u`
  ]

  return { code: 0, output: `${lines.join('\n')}\n` }
}

function findProject(): Project {
  for (const root of listRoots()) {
    for (const extension of ['ts', 'js'] as const) {
      if (existsSync(`${root}/services.${extension}`))
        return { root, extension, database: findDatabase(`${root}/database.${extension}`) }
    }
  }

  throw new UsageError(
    'There is no src/services.ts here. Run this in the folder of an application that npm create alula made.'
  )
}

/** The date for the name of a migration: that of the last one, if it is not before now, would leave their order to chance. */
function findDate({ root }: Project): Date {
  const folder = `${root}/migrations`
  const taken = (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
    const [, day, hours = '23', minutes = '59', seconds = '59'] = MIGRATION.exec(name) ?? []
    const time = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`)

    return Number.isNaN(time) ? [] : [time + 1000]
  })

  return new Date(Math.max(Date.now(), ...taken))
}

/** An application that the API was added to may have packages of other databases. */
function findDatabase(file: string): Project['database'] {
  if (!existsSync(file)) return 'memory'

  const { dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'))
  const isSqlite = /\bSqliteDialect\b/.test(readFileSync(file, 'utf8'))

  return 'pg' in dependencies && !isSqlite ? 'postgresql' : 'sqlite'
}

function toNames(path: string): ServiceNames {
  const words = path.split('-').map((word) => word[0]?.toUpperCase() + word.slice(1))
  const plural = words.join('')
  const word = plural.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')
  const singular = TYPES.includes(word) ? `${word}Record` : word

  return {
    path,
    table: path.replaceAll('-', '_'),
    factory: toVariable(plural),
    record: singular,
    schema: `${toVariable(singular)}Schema`
  }
}

function toVariable(name: string): string {
  return name[0]?.toLowerCase() + name.slice(1)
}

function register(
  { path, factory }: ServiceNames,
  { root, extension }: Project
): [path: string, content: string] {
  const file = `${root}/services.${extension}`
  const { text, end } = readLines(file)

  if (isDeclared(text, factory)) {
    throw new UsageError(
      `The name '${path}' is not possible: '${file}' has something else with the name '${factory}'.`
    )
  }

  const line = `import { ${factory} } from './${path}/${path}.${extension}'\n`
  const withImport = insertSorted(text, line)
  const call = findLastCall(withImport)

  if (!call || withImport === text) {
    throw new UsageError(`'${file}' has no line 'app.configure(…)'. Register the service there by hand.`)
  }

  const added = `\n${call.indent}app.configure(${factory})`
  const changed = `${withImport.slice(0, call.end)}${added}${withImport.slice(call.end)}`

  return [file, changed.replaceAll('\n', end)]
}

/** Reads a file as lines that end with `\n`, and tells how they end in the file. */
function readLines(file: string): { text: string; end: string } {
  const text = readFileSync(file, 'utf8')
  const [end] = /\r?\n/.exec(text) ?? ['\n']

  return { text: text.replaceAll('\r\n', '\n'), end }
}

/** Whether a file imports or declares a name. A name before another word is none of the file: `type A`, `a as b`. */
function isDeclared(text: string, name: string): boolean {
  const imported = new RegExp(`\\b${name}\\b(?!\\s+[\\w$])`)
  const declared = new RegExp(
    `^(?:export )?(?:async )?(?:const|let|var|class|function\\*?)\\s+${name}\\b`,
    'm'
  )
  const clauses = [...text.matchAll(IMPORT)].map(([line]) => line.replace(/(?:\bfrom\s*)?['"][\s\S]*/, ''))

  return declared.test(text) || clauses.some((clause) => imported.test(clause))
}

/** Finds the last `app.configure(…)` that is indented like the first one: one that is deeper may be conditional. */
function findLastCall(text: string): { end: number; indent: string } | undefined {
  const [, indent] = /^([ \t]+)app\.configure\(/m.exec(text) ?? []

  if (indent === undefined) return undefined

  // With the lines after it that are deeper, or begin with what closes a bracket.
  const calls = new RegExp(
    `^${indent}app\\.configure\\(.*(?:\\s*\\n${indent}(?:[ \\t]+\\S|[)\\]}]).*)*`,
    'gm'
  )
  const { 0: call = '', index = 0 } = [...text.matchAll(calls)].at(-1) ?? {}
  const isWhole = call.split('(').length === call.split(')').length

  return isWhole ? { end: index + call.length, indent } : undefined
}

/** An import from its first line to its last. */
const IMPORT = /^import [^'"]*(['"]).*?\1(?: with \{[^}]*\})?.*/gm

/** Inserts an import before the first one that sorts after it: linters order imports by their paths. */
function insertSorted(text: string, line: string): string {
  const toPath = (text: string) => /from\s+['"](.*)['"]/.exec(text)?.[1] ?? ''
  const imports = [...text.matchAll(IMPORT)]
  const next = imports.find(([other]) => toPath(other) > toPath(line))
  const last = imports.at(-1)

  if (next) return `${text.slice(0, next.index)}${line}${text.slice(next.index)}`
  if (!last) return text

  const end = last.index + last[0].length

  return `${text.slice(0, end)}\n${line.trimEnd()}${text.slice(end)}`
}

function addSample({ path }: ServiceNames, { root, extension }: Project): [path: string, content: string] {
  const file = `${root}/test/samples.${extension}`
  const { text, end } = readLines(file)
  const key = /-/.test(path) ? `'${path}'` : path
  const added = text.replace(
    /^export const samples.*= \{\n/m,
    (start) => `${start}  ${key}: { title: 'A title' },\n`
  )

  if (added === text) {
    throw new UsageError(`'${file}' has no line 'export const samples = {'. Add a sample by hand.`)
  }

  return [file, added.replaceAll('\n', end)]
}
