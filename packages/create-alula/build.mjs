// Makes the parts for both languages in `dist/templates`: TypeScript as it is, and JavaScript without the types.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blankSourceFile } from 'ts-blank-space'
import ts from 'typescript'

const SOURCE = fileURLToPath(new URL('templates', import.meta.url))
const TARGET = fileURLToPath(new URL('dist/templates', import.meta.url))
const BIOME = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url))

/** Files of which JavaScript has no use. */
const TYPES_ONLY = /(^|\/)(tsconfig.*\.json|declarations\.ts)$/

rmSync(TARGET, { recursive: true, force: true })

for (const entry of readdirSync(SOURCE, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue

  const path = relative(SOURCE, join(entry.parentPath, entry.name))
  const content = readFileSync(join(SOURCE, path), 'utf8')

  const [part] = path.split('/')

  if (!part.endsWith('javascript')) write(join('typescript', path), content)
  if (part.endsWith('typescript') || TYPES_ONLY.test(path)) continue

  write(join('javascript', toJavaScriptNames(path)), toJavaScriptNames(toJavaScript(path, content)))
}

function write(path, content) {
  const file = join(TARGET, path)

  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

function toJavaScript(path, content) {
  if (!/\.tsx?$/.test(path)) return content

  const blanked = blankSourceFile(parse(path, dropTypes(path, content)), (node) => {
    throw new Error(`${path}: '${node.getText()}' cannot be removed`)
  })

  return format(path, blanked)
}

/** Drops declarations of types with their comments: the package that removes types leaves the comments. */
function dropTypes(path, content) {
  const isType = (node) =>
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isModuleDeclaration(node) ||
    (ts.isImportDeclaration(node) && node.importClause?.isTypeOnly)

  return parse(path, content)
    .statements.filter((node) => !isType(node))
    .map((node) => content.slice(node.pos, node.end))
    .join('')
}

function parse(path, content) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS

  return ts.createSourceFile(path, content, ts.ScriptTarget.ESNext, true, kind)
}

function format(path, content) {
  const args = ['check', '--write', `--stdin-file-path=${toJavaScriptNames(path)}`]
  const { status, stdout, stderr } = spawnSync(BIOME, args, { input: content, encoding: 'utf8', cwd: SOURCE })

  if (status !== 0) throw new Error(`${path}: ${stderr}`)

  return stdout
}

function toJavaScriptNames(text) {
  return text.replace(/(?<=[\w*}])\.(m?)ts(x?)\b/g, '.$1js$2')
}
