// Removes the types in `dist` that no entry of package.json leads to: they are of what only alula itself calls.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const reached = new Set(
  Object.values(exports)
    .flatMap(({ types }) => types ?? [])
    .map((file) => join(ROOT, file))
)

for (const file of reached) {
  for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
    if (fileName.startsWith('.')) reached.add(join(dirname(file), fileName.replace(/\.[jt]s$/, '.d.ts')))
  }
}

for (const { parentPath, name } of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
  const file = join(parentPath, name)

  if (name.endsWith('.d.ts') && !reached.has(file)) rmSync(file)
}
