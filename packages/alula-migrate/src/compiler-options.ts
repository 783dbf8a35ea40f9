import { posix } from 'node:path'
import { applyEdits, type Edit, indentationAt, lineAt, lineEnding } from './edit.ts'
import { getProperty, getText, indentationOf, type JsonObject, locateJson } from './json.ts'
import type { Change, Remark, Rewritten } from './rewritten.ts'

export interface CompilerOptionsInput {
  /** Whether the files of the package are ES modules. */
  readonly isModule: boolean
  /** Whether packages stay whose types are those of Feathers v5. */
  readonly hasHostedTypes: boolean
}

/**
 * Modules whose types the packages that stay name in theirs. The second one is what they augment, so it is the file that
 * declares the types: an augmentation does not see names that a module only exports again.
 */
const HOSTED_TYPES = {
  '@feathersjs/feathers': 'node_modules/alula/dist/index.d.ts',
  '@feathersjs/feathers/lib/declarations': 'node_modules/alula/dist/core/types.d.ts'
}

/** Settings that know `exports` of a package. In those of the second list, CommonJS must not import ES modules. */
const CURRENT = ['bundler', 'node20', 'nodenext', 'preserve']
const STRICT = ['node16', 'node18']

/**
 * Changes a `tsconfig.json` so that the types of alula are found, and so that packages that stay use them too.
 *
 * @param source Its text, with comments or without
 * @param input What is known of the package
 */
export function rewriteCompilerOptions(source: string, input: CompilerOptionsInput): Rewritten {
  const root = locateJson(source)
  const options = getProperty(root, 'compilerOptions')?.object

  if (!root || !options) {
    const text = "there are no 'compilerOptions': they need module 'nodenext'"

    return {
      text: source,
      changes: [],
      remarks: [{ line: 1, text, anchor: 'typescript' }],
      packages: new Set()
    }
  }

  const module = planModule(source, options, input, getProperty(root, 'extends') !== undefined)
  const paths = input.hasHostedTypes ? planPaths(source, options) : UNCHANGED

  return {
    text: applyEdits(source, [
      ...paths.edits,
      ...setOptions(source, options, [...paths.values, ...module.values])
    ]),
    changes: [...module.changes, ...paths.changes],
    remarks: [...module.remarks],
    packages: new Set()
  }
}

/** What is to be done with the options. */
interface Plan {
  /** New values by name, as they are written. */
  readonly values: readonly (readonly [name: string, value: string])[]
  /** Changes inside of a value. */
  readonly edits: readonly Edit[]
  readonly changes: readonly Change[]
  readonly remarks: readonly Remark[]
}

const UNCHANGED: Plan = { values: [], edits: [], changes: [], remarks: [] }

function planModule(
  source: string,
  options: JsonObject,
  { isModule }: CompilerOptionsInput,
  isExtended: boolean
): Plan {
  const module = getText(options, 'module')?.toLowerCase()
  const resolution = getText(options, 'moduleResolution')?.toLowerCase()
  const decisive = resolution ?? module ?? ''
  const isCommonJs = !isModule && (module === undefined || module === 'commonjs' || STRICT.includes(module))
  const line = lineAt(source, getProperty(options, 'module')?.start ?? options.start)

  if (CURRENT.includes(decisive) || (isModule && STRICT.includes(decisive))) return UNCHANGED
  if (!isCommonJs || (module === undefined && isExtended)) {
    const text = "'exports' of packages have to be read: set 'moduleResolution' to 'nodenext' or 'bundler'"

    return { ...UNCHANGED, remarks: [{ line, text, anchor: 'typescript' }] }
  }

  const names = ['module', ...(resolution === undefined ? [] : ['moduleResolution'])]

  return {
    ...UNCHANGED,
    values: names.map((name) => [name, '"nodenext"']),
    changes: names.map((name) => ({
      line,
      text: `${name}: ${getText(options, name) ?? '(none)'} → nodenext`
    }))
  }
}

function planPaths(source: string, options: JsonObject): Plan {
  const paths = getProperty(options, 'paths')
  const missing = Object.entries(HOSTED_TYPES).filter(([name]) => !getProperty(paths?.object, name))

  if (missing.length === 0) return UNCHANGED

  // Paths begin at the base, which is the folder of the file when there is none.
  const base = posix.normalize(getText(options, 'baseUrl') ?? '.')
  const newline = lineEnding(source)
  const outer = indentationOf(source, options)
  const unit = outer.slice(indentationAt(source, options.start).length) || '  '
  const lines = missing.map(([name, types]) => {
    const target = posix.relative(base, types)

    return `${newline}${outer}${unit}"${name}": ["${target.startsWith('.') ? target : `./${target}`}"]`
  })
  const changes = missing.map(([name]) => ({
    line: lineAt(source, paths?.start ?? options.start),
    text: `paths: + ${name}, whose types are those of alula`
  }))

  return paths?.object
    ? { ...UNCHANGED, changes, edits: [insertFirst(paths.object, lines.join(','), newline + outer)] }
    : { ...UNCHANGED, changes, values: [['paths', `{${lines.join(',')}${newline}${outer}}`]] }
}

function insertFirst({ start, end, properties }: JsonObject, text: string, closing: string): Edit {
  const isEmpty = properties.length === 0

  return { start: start + 1, end: isEmpty ? end - 1 : start + 1, text: text + (isEmpty ? closing : ',') }
}

/** Replaces values, and writes those that are missing in front of the others. */
function setOptions(source: string, options: JsonObject, values: Plan['values']): Edit[] {
  const newline = lineEnding(source)
  const indentation = indentationOf(source, options)
  const edits: Edit[] = []
  const missing: string[] = []

  for (const [name, value] of values) {
    const existing = getProperty(options, name)

    if (existing) edits.push({ start: existing.valueStart, end: existing.end, text: value })
    else missing.push(`${newline}${indentation}"${name}": ${value}`)
  }

  if (missing.length > 0) {
    edits.push(insertFirst(options, missing.join(','), newline + indentationAt(source, options.start)))
  }

  return edits
}
