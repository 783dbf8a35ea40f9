import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Choices } from './choices.ts'
import { mergeManifests, type Origin, toManifest } from './manifest.ts'
import { adapt } from './rules.ts'

/** The parts by language. The build makes them of the folder `templates`. */
const PARTS = fileURLToPath(new URL('../dist/templates', import.meta.url))

/** Names that npm would leave out of a package, or that a tool of this repository would read. */
const RENAMED: { readonly [name: string]: string } = { _gitignore: '.gitignore', '_biome.json': 'biome.json' }

/**
 * Puts the files of an application together, by their paths in its folder. A file of a later part replaces one of an earlier
 * part; the files `package.json` are merged. `origin` is where the packages of alula come from.
 */
export function composeFiles(choices: Choices, origin: Origin): Map<string, string> {
  const files = new Map<string, string>()
  const manifests: object[] = []

  for (const part of listParts(choices)) {
    for (const [path, content] of readPart(join(PARTS, choices.language, part))) {
      if (path === 'package.json') manifests.push(JSON.parse(content))
      else files.set(path, content)
    }
  }

  const manifest = toManifest(mergeManifests(manifests), choices, origin)

  files.set('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
  files.set('.env', (files.get('.env.example') ?? '').replace(/^SECRET=$/m, `SECRET=${createSecret()}`))

  return adapt(files, choices)
}

function listParts({ template, database, language }: Choices): string[] {
  const store = database === 'memory' ? ['memory'] : ['sql', database]
  const shape = { api: ['server'], react: ['server', 'react'], express: ['express'] }[template]
  const ofBoth = [`${template}-${language}`, `${database}-${language}`]

  return ['base', ...shape, ...store, language, ...ofBoth].filter((part) =>
    existsSync(join(PARTS, language, part))
  )
}

function readPart(folder: string): [path: string, content: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(relative(folder, entry.parentPath), RENAMED[entry.name] ?? entry.name)

      return [path.split(sep).join('/'), readFileSync(join(entry.parentPath, entry.name), 'utf8')]
    })
}

function createSecret(): string {
  return randomBytes(48).toString('base64url')
}
