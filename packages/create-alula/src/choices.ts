import { basename } from 'node:path'
import { UsageError } from './usage-error.ts'

/** The templates, and what each makes. */
export const TEMPLATES = {
  api: 'a REST and real-time API',
  react: 'the API, and a page with React and Vite',
  express: 'the API, added to an Express application in this folder'
} as const

/** The databases, and what each needs. */
export const DATABASES = {
  sqlite: 'SQLite: a file, no server',
  postgresql: 'PostgreSQL: a server, which compose.yaml starts',
  memory: 'memory: records are lost when the process ends'
} as const

export type Template = keyof typeof TEMPLATES
export type Database = keyof typeof DATABASES

/** What decides which files are made. */
export interface Choices {
  /** The name of the package, and of its folder. With the template `express` only the title of the API. */
  readonly name: string
  readonly template: Template
  readonly database: Database
  readonly language: 'typescript' | 'javascript'
}

/** What was chosen where nothing was said. */
export const DEFAULTS = { name: 'my-app', template: 'api', database: 'sqlite' } as const

const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/

/** Tells in a sentence what is wrong with a name; `undefined` for one that packages and folders can have. */
export function findNameFault(name: string): string | undefined {
  if (NAME.test(name)) return undefined

  return `The name '${name}' is not possible: use lower-case letters, digits, '-', '_' and '.', at most 100.`
}

/** The name where none is given. With `express` it is that of the current folder, as packages could have it. */
export function toDefaultName(template: Template, folder: string): string {
  if (template !== 'express') return DEFAULTS.name

  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')

  return name.slice(0, 100) || DEFAULTS.name
}

/** Checks a name. Throws UsageError for a name that packages or folders cannot have. */
export function toName(name: string): string {
  const fault = findNameFault(name)

  if (fault !== undefined) throw new UsageError(fault)

  return name
}

/** Checks the value of a flag against a table. Throws a UsageError that lists the possible values. */
export function toKey<Key extends string>(
  flag: string,
  value: string,
  table: { readonly [key in Key]: string }
): Key {
  if (Object.hasOwn(table, value)) return value as Key

  throw new UsageError(`--${flag} expects ${Object.keys(table).join(', ')}, and got '${value}'.`)
}
