import { PEER_RANGES, readVersion } from './alula.ts'
import { applyEdits, type Edit, indentationAt, lineAt, lineEnding } from './edit.ts'
import { getProperty, indentationOf, type JsonObject, locateJson } from './json.ts'
import { lookUp, REPLACEMENTS } from './packages.ts'
import type { Change, Remark, Rewritten } from './rewritten.ts'

/** What `package.json` has to follow. */
export interface ManifestOptions {
  /** Packages that the sources load now. */
  readonly packages: ReadonlySet<string>
  /** Whether there is TypeScript. */
  readonly isTyped: boolean
}

const SECTIONS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

/** Packages that came with `@feathersjs/express`, and their types. */
const MIDDLEWARE: { readonly [name: string]: { readonly range: string; readonly types: string } } = {
  compression: { range: '^1.8.1', types: '^1.8.1' },
  cors: { range: '^2.8.5', types: '^2.8.19' }
}
/** The types that came with a package, by its name. */
const TYPES: { readonly [name: string]: readonly [name: string, range: string] } = {
  '@feathersjs/express': ['@types/express', '^5.0.0'],
  '@feathersjs/koa': ['@types/koa', '^3.0.0']
}
/** The version whose API alula has. */
const FEATHERS = [5, 0] as const
/** The first version that lets CommonJS import an ES module. */
const TYPESCRIPT = [5, 8] as const

/** A change of one list of dependencies: ranges by name, or nothing for what is taken away. */
type Section = Map<string, string | undefined>

/**
 * Replaces the packages of Feathers in a `package.json`.
 *
 * @param source Its text
 * @param options What it has to follow
 */
export function rewriteManifest(source: string, options: ManifestOptions): Rewritten {
  const root = locateJson(source)

  if (!root) {
    const text = "is not an object in JSON, and left as it is: list 'alula' in it"
    const remark: Remark = { line: 1, text, anchor: 'manual-changes' }

    return {
      text: source,
      changes: [],
      remarks: options.packages.has('alula') ? [remark] : [],
      packages: new Set()
    }
  }

  const listed = listDependencies(root)
  const sections = planSections(listed, options)

  return {
    text: applyEdits(source, editSections(source, root, sections)),
    changes: describeChanges(source, root, sections),
    remarks: [...findRemarks(listed, options)].map((remark) => ({
      ...remark,
      line: lineAt(source, findDependency(root, remark.name)?.start ?? 0)
    })),
    packages: new Set()
  }
}

/** The packages that a `package.json` lists, with the section and the range of each. */
export function listDependencies(
  root: JsonObject | undefined
): Map<string, { section: string; range: string }> {
  const listed = new Map<string, { section: string; range: string }>()

  for (const section of [...SECTIONS].reverse()) {
    for (const { key, text } of getProperty(root, section)?.object?.properties ?? []) {
      listed.set(key, { section, range: text.slice(1, -1) })
    }
  }

  return listed
}

function planSections(
  listed: ReadonlyMap<string, { readonly section: string; readonly range: string }>,
  { packages, isTyped }: ManifestOptions
): Map<string, Section> {
  const sections = new Map<string, Section>()
  const version = readVersion()
  const change = (section: string, name: string, range?: string): void => {
    const changes = sections.get(section) ?? new Map()

    sections.set(section, changes.set(name, range))
  }
  const add = (section: string, name: string, range: string): void => {
    if (!listed.has(name)) change(section, name, range)
  }

  for (const [name, { peers = [] }] of Object.entries(REPLACEMENTS)) {
    const section = listed.get(name)?.section

    if (!section || packages.has(name)) continue

    change(section, name)
    for (const peer of peers) {
      if (packages.has(peer)) add(section, peer, PEER_RANGES[peer] as string)
    }
    if (isTyped && TYPES[name]) add('devDependencies', ...TYPES[name])
  }

  const wasRuntime = [...sections].some(([section]) => section !== 'devDependencies')
  const alula = listed.get('alula')

  if (packages.has('alula')) {
    add(wasRuntime || sections.size === 0 ? 'dependencies' : 'devDependencies', 'alula', `^${version}`)
  }
  // It was installed for this command, and what runs needs it now.
  if (wasRuntime && alula?.section === 'devDependencies') {
    change('devDependencies', 'alula')
    change('dependencies', 'alula', alula.range)
  }

  for (const [name, { range, types }] of Object.entries(MIDDLEWARE)) {
    if (!packages.has(name)) continue
    add('dependencies', name, range)
    if (isTyped) add('devDependencies', `@types/${name}`, types)
  }

  return sections
}

function* findRemarks(
  listed: ReadonlyMap<string, { readonly range: string }>,
  { packages, isTyped }: ManifestOptions
): Generator<Omit<Remark, 'line'> & { name: string }> {
  const range = (name: string) => listed.get(name)?.range
  const feathers = toVersion(range('@feathersjs/feathers'))
  const typescript = toVersion(range('typescript'))

  if (isBefore(feathers, FEATHERS)) {
    yield {
      name: '@feathersjs/feathers',
      text: `this is Feathers ${range('@feathersjs/feathers')}: move to Feathers v5 first`,
      anchor: 'steps'
    }
  }
  for (const name of ['express', '@types/express']) {
    if (toVersion(range(name))[0] === 4) {
      yield { name, text: `'${name}' is of Express 4, alula has Express 5`, anchor: 'express-5' }
    }
  }
  if (isTyped && isBefore(typescript, TYPESCRIPT)) {
    yield {
      name: 'typescript',
      text: `TypeScript ${range('typescript')} is too old: ${TYPESCRIPT.join('.')} is needed`,
      anchor: 'typescript'
    }
  }
  if (listed.has('jest')) {
    yield { name: 'jest', text: 'Jest has to be told to transform alula', anchor: 'jest' }
  }
  for (const name of packages) {
    if (lookUp(name)?.kind === 'kept' && !listed.has(name)) {
      yield { name, text: `'${name}' is imported and not listed: add it`, anchor: 'packages-that-stay' }
    }
  }
}

type Version = readonly [major: number, minor: number]

/** The lowest version of a range; of what has none, `NaN`, which comes before nothing. */
function toVersion(range = ''): Version {
  const [, major, minor = 0] = /^\D{0,2}(\d+)(?:\.(\d+))?/.exec(range) ?? []

  return [Number(major), Number(minor)]
}

function isBefore(version: Version, other: Version): boolean {
  return version[0] < other[0] || (version[0] === other[0] && version[1] < other[1])
}

function editSections(source: string, root: JsonObject, sections: ReadonlyMap<string, Section>): Edit[] {
  const edits: Edit[] = []
  const missing: [name: string, changes: Section][] = []

  for (const [name, changes] of sections) {
    const property = getProperty(root, name)

    if (property?.object) edits.push(editSection(source, root, property.object, changes))
    else missing.push([name, changes])
  }

  return missing.length > 0 ? [...edits, addSections(source, root, missing)] : edits
}

function editSection(source: string, root: JsonObject, section: JsonObject, changes: Section): Edit {
  const { start, end, properties } = section
  const kept = properties
    .filter(({ key }) => !changes.has(key))
    .map(({ key, text }) => [key, text] as [string, string])
  const indentation = indentationAt(source, start)
  const first = properties[0]
  const isOneLine = first !== undefined && lineAt(source, start) === lineAt(source, first.start)
  const unit =
    first && !isOneLine
      ? indentationAt(source, first.start).slice(indentation.length)
      : indentationOf(source, root)

  for (const [key, range] of changes) {
    if (range !== undefined) insertSorted(kept, [key, `"${range}"`])
  }

  return {
    start,
    end,
    text: renderObject(kept, { newline: lineEnding(source), indentation, unit, isOneLine })
  }
}

/** After everything else. */
function addSections(
  source: string,
  root: JsonObject,
  sections: readonly (readonly [name: string, changes: Section])[]
): Edit {
  const newline = lineEnding(source)
  const indentation = indentationOf(source, root)
  const text = sections
    .map(([name, changes]) => {
      const entries = [...changes].map(([key, range]) => [key, `"${range}"`] as const)

      return `${newline}${indentation}"${name}": ${renderObject(entries, { newline, indentation, unit: indentation })}`
    })
    .join(',')
  const last = root.properties.at(-1)

  return last
    ? { start: last.end, end: last.end, text: `,${text}` }
    : { start: root.start + 1, end: root.end - 1, text: text + newline }
}

/** In front of the first name that comes later; in a list without order, at its end. */
function insertSorted(entries: [string, string][], entry: [string, string]): void {
  const position = entries.findIndex(([key]) => key > entry[0])

  entries.splice(position === -1 ? entries.length : position, 0, entry)
}

function renderObject(
  entries: readonly (readonly [string, string])[],
  format: { newline: string; indentation: string; unit: string; isOneLine?: boolean }
): string {
  const { newline, indentation, unit, isOneLine } = format
  const lines = entries.map(([key, text]) => `"${key}": ${text}`)

  if (lines.length === 0) return '{}'
  if (isOneLine) return `{ ${lines.join(', ')} }`

  return `{${lines.map((line) => newline + indentation + unit + line).join(',')}${newline}${indentation}}`
}

function describeChanges(source: string, root: JsonObject, sections: ReadonlyMap<string, Section>): Change[] {
  return [...sections].flatMap(([name, changes]) =>
    [...changes].map(([key, range]) => ({
      line: lineAt(source, (findDependency(root, key) ?? getProperty(root, name))?.start ?? 0),
      text: range === undefined ? `${name}: − ${key}` : `${name}: + ${key}@${range}`
    }))
  )
}

function findDependency(root: JsonObject, name: string) {
  return SECTIONS.map((section) => getProperty(getProperty(root, section)?.object, name)).find(Boolean)
}
