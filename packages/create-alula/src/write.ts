import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Manifest, mergeManifests } from './manifest.ts'
import { UsageError } from './usage-error.ts'

/** Files of the template `express` that lines are added to. */
const APPENDED = ['.env', '.env.example', '.gitignore']

/**
 * Writes the files of an application by path, and returns the paths. The folder has to be new or empty; `isAdded` adds to an
 * existing application: its `package.json` keeps what it has, and files of variables get the missing ones. Nothing is written
 * when a file is in the way: throws UsageError that names it.
 */
export function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
  { isAdded }: { readonly isAdded: boolean }
): string[] {
  const contents = isAdded ? addTo(folder, files) : files

  if (!isAdded && existsSync(folder) && readdirSync(folder).length > 0) {
    throw new UsageError(`The folder '${folder}' is not empty. Choose another name.`)
  }

  for (const [path, content] of contents) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }

  return [...contents.keys()]
}

function addTo(folder: string, files: ReadonlyMap<string, string>): Map<string, string> {
  // npm reads one with a byte order mark too.
  const manifest = readText(join(folder, 'package.json')).replace(/^\uFEFF/, '')

  if (manifest === '') {
    throw new UsageError(
      `There is no package.json in '${folder}'. Run this in the folder of the Express application.`
    )
  }

  const contents = [...files].map(([path, content]): [string, string] => {
    const present = readText(join(folder, path))

    if (path === 'package.json') return [path, addPackages(JSON.parse(manifest), JSON.parse(content))]
    if (APPENDED.includes(path)) return [path, addLines(present, content)]
    if (present !== '') throw new UsageError(`There is a file '${path}' already. Nothing was written.`)

    return [path, content]
  })

  return new Map(contents)
}

function addPackages(present: Manifest, added: Manifest): string {
  const merged = mergeManifests([added, present])

  // The order of the existing file.
  return `${JSON.stringify({ ...present, ...merged }, null, 2)}\n`
}

/** A line, with the comments above it. */
const COMMENTED_LINE = /^(?:#.*\n)*([^#\n].*)\n/gm

/** Adds the lines that set something which is not set yet. */
function addLines(present: string, added: string): string {
  const known = new Set(present.split('\n').map(toKey))
  const missing = [...added.matchAll(COMMENTED_LINE)].filter(([, line = '']) => !known.has(toKey(line)))
  const end = present.includes('\r\n') ? '\r\n' : '\n'
  const start = present === '' || present.endsWith('\n') ? present : `${present}${end}`

  return `${start}${missing.map(([text]) => text.replaceAll('\n', end)).join('')}`
}

/** The name of the variable that a line sets, in each form that readers of `.env` know; else the line itself. */
function toKey(line: string): string {
  const [, name] = /^\s*(?:export\s+)?([\w.-]+)(?:\s*=|:\s)/.exec(line) ?? []

  return name ?? line.trim()
}

function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
