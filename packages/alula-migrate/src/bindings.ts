import MagicString from 'magic-string'
import { type Replacement, resolveName } from './packages.ts'
import type { NamedBinding, Reference } from './references.ts'

/** Names that come from one module: the text in front of `from`, or of `=`. */
export interface Part {
  readonly from: string
  readonly clause: string
}

/** What is decided outside of a statement. */
export interface BindingRules {
  /** Binds a name to the module itself where its members are used, and returns whether it did. */
  bindModule(name: string): boolean
  /** Removes the uses of a name that is not needed, and returns whether that were all. */
  remove(binding: NamedBinding): boolean
  /** Reports a name without a counterpart. */
  report(name: string, reason: string): void
}

/**
 * Distributes the names of a statement to the modules where they live now.
 *
 * @returns Nothing where one entry has all names as they are written
 */
export function distribute(
  reference: Reference,
  replacement: Replacement,
  source: string,
  rules: BindingRules
): Part[] | undefined {
  const { bindings = {}, kind, specifier } = reference
  const { defaultName, namespace, named = [] } = bindings
  const { entry, main, hasDefault } = replacement
  const isImport = kind === 'import'
  const defaults: string[] = []
  const namespaces: string[] = []
  const inserted: string[] = []
  const others = new Map<string, string[]>()
  const add = (from: string, clause: string) => others.set(from, [...(others.get(from) ?? []), clause])
  const write = ({ imported, local, isType }: NamedBinding) =>
    `${isType ? 'type ' : ''}${imported === local ? local : `${imported}${kind === 'require' ? ': ' : ' as '}${local}`}`
  // `{ default as name }` is the default export too. In CommonJS, not every module has one.
  const isMain = ({ imported }: NamedBinding) =>
    imported === 'default' && (isImport || (kind === 'require' && main !== undefined))
  const texts = named.map((binding): string | undefined => {
    const target = resolveName(replacement, binding.imported)

    if (isMain(binding) && rules.bindModule(binding.local)) namespaces.push(binding.local)
    else if (typeof target === 'string') {
      if (rules.remove(binding)) return undefined
      rules.report(binding.imported, target)
      add(specifier, `{ ${write(binding)} }`)
    } else if (target.from === entry) {
      return target.name === undefined ? '' : write({ ...binding, imported: target.name })
    } else if (target.name === 'default' && kind !== 'export') {
      add(
        target.from,
        isImport || !isAwaited(reference, source) ? binding.local : `{ default: ${binding.local} }`
      )
    } else add(target.from, `{ ${write({ ...binding, imported: target.name ?? binding.imported })} }`)

    return undefined
  })

  for (const name of [defaultName, namespace]) {
    if (name === undefined) continue
    if (kind === 'export' || rules.bindModule(name)) namespaces.push(name)
    else if (hasDefault && isImport) defaults.push(name)
    else inserted.push(write({ imported: main as string, local: name, isType: false }))
  }

  const isSame =
    texts.every((text) => text === '') &&
    defaults[0] === defaultName &&
    namespaces.length <= 1 &&
    namespaces[0] === namespace &&
    inserted.length === 0

  if (isSame) return undefined

  const list = editList(reference, texts, inserted, source)
  const heads = namespaces.map((name) => (kind === 'require' ? name : `* as ${name}`))
  const parts = joinHeads(defaults, list === undefined ? heads : [...heads, list])

  return [
    ...parts.map((clause) => ({ from: entry, clause })),
    ...[...others].flatMap(([from, all]) => joinNames(all).map((clause) => ({ from, clause })))
  ]
}

/** A statement takes a default export, and one namespace or list. */
function joinHeads(defaults: readonly string[], heads: readonly string[]): readonly string[] {
  if (heads.length === 0) return defaults

  return heads.map((head, index) => [...(index === 0 ? defaults : []), head].join(', '))
}

/** The names between braces that stay, in the format of the list. */
function editList(
  { bindings = {} }: Reference,
  texts: readonly (string | undefined)[],
  inserted: readonly string[],
  source: string
): string | undefined {
  const { braces, named = [] } = bindings
  const isKept = (index: number) => texts[index] !== undefined

  if (!braces || !texts.some((text) => text !== undefined)) {
    return inserted.length > 0 ? `{ ${inserted.join(', ')} }` : undefined
  }

  const list = new MagicString(source)
  const places = named.map(({ place }) => place as { start: number; end: number })

  for (const [index, { start, end }] of places.entries()) {
    const text = texts[index]
    const hasKept = texts.slice(0, index).some((one) => one !== undefined)

    if (text) list.update(start, end, text)
    else if (!isKept(index) && hasKept) list.remove(places[index - 1]?.end as number, end)
    else if (!isKept(index)) list.remove(start, places[index + 1]?.start as number)
  }
  for (const name of inserted) list.appendLeft(places[0]?.start as number, `${name}, `)

  return list.slice(braces.start, braces.end)
}

/** One list of all names that stand between braces. */
function joinNames(clauses: readonly string[]): string[] {
  const names = clauses.filter((clause) => clause.startsWith('{ '))

  return [
    ...clauses.filter((clause) => !clause.startsWith('{ ')),
    ...(names.length > 0 ? [`{ ${names.map((clause) => clause.slice(2, -2)).join(', ')} }`] : [])
  ]
}

/** What loads the module of a variable: the text between `=` and its name, `require(`. */
export function toLoader({ start, string }: Reference, source: string): string {
  return /[^=]*$/.exec(source.slice(start, string.start))?.[0].trim() ?? ''
}

function isAwaited(reference: Reference, source: string): boolean {
  return toLoader(reference, source).startsWith('await')
}
