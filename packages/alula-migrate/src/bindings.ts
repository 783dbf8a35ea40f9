import { type Replacement, resolveName } from './packages.ts'
import type { Binding, Reference } from './references.ts'

/** Names that come from one module: the text in front of `from`, or of `=`. */
export interface Part {
  readonly from: string
  readonly clause: string
}

/** What is decided outside of a statement. */
export interface BindingRules {
  /** Binds a name to the module itself where its members are used, and returns whether it did. */
  bindModule(binding: Binding): boolean
  /** Removes the uses of a name that is not needed, and returns whether that were all. */
  remove(binding: Binding): boolean
  /** Reports a name without a counterpart. */
  report(name: string, reason: string): void
}

/** A binding, with the module that has it now and its name there. */
type Placed = Binding & { readonly from: string; readonly name: string }

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
  const { bindings = [] } = reference
  const { entry } = replacement
  const placed = bindings.flatMap((binding) => placeBinding(binding, reference, replacement, rules))
  const isSame = ({ from, form, name }: Placed, index: number) =>
    from === entry && form === bindings[index]?.form && name === bindings[index]?.imported

  if (placed.length === bindings.length && placed.every(isSame)) return undefined

  return [...new Set([entry, ...placed.map(({ from }) => from)])].flatMap((from) => {
    const own = placed.filter((one) => one.from === from)
    const clauses = toClauses(own, reference, (names) => toList(names, reference, source, from === entry))

    return clauses.map((clause) => ({ from, clause }))
  })
}

/** Where a name lives now; nowhere when it is not needed. */
function placeBinding(
  binding: Binding,
  { kind, specifier, isAwaited }: Reference,
  replacement: Replacement,
  rules: BindingRules
): Placed[] {
  const { form, imported } = binding
  const { entry, main, hasDefault } = replacement
  const isImport = kind === 'import'
  // `{ default as name }` is the default export too. In CommonJS, not every module has one.
  const isWhole =
    form !== 'name' || (imported === 'default' && kind !== 'export' && (isImport || main !== undefined))

  if (isWhole && (kind === 'export' || rules.bindModule(binding)))
    return [{ ...binding, from: entry, form: 'namespace', name: '*' }]
  if (form !== 'name') {
    return hasDefault && isImport
      ? [{ ...binding, from: entry, form: 'default', name: 'default' }]
      : [{ ...binding, from: entry, form: 'name', name: main as string }]
  }

  const target = resolveName(replacement, imported)

  if (typeof target === 'string') {
    if (rules.remove(binding)) return []
    rules.report(imported, target)
    return [{ ...binding, from: specifier, name: imported }]
  }

  const { from, name = imported } = target
  const isDefault = name === 'default' && from !== entry && kind !== 'export' && !isAwaited

  return [{ ...binding, from, form: isDefault ? 'default' : 'name', name }]
}

/** A statement takes a default export, and one namespace or list. */
function toClauses(
  placed: readonly Placed[],
  { variable }: Reference,
  toList: (names: readonly Placed[]) => string
): readonly string[] {
  const of = (form: Binding['form']) => placed.filter((one) => one.form === form)
  const names = of('name')
  const defaults = of('default').map(({ local }) => local)
  const heads = [
    ...of('namespace').map(({ local }) => (variable ? local : `* as ${local}`)),
    ...(names.length > 0 ? [toList(names)] : [])
  ]

  if (heads.length === 0) return defaults

  return heads.map((head, index) => [...(index === 0 ? defaults : []), head].join(', '))
}

/** Names between braces, with everything between those that stay as it was. */
function toList(
  names: readonly Placed[],
  { variable, braces, bindings = [] }: Reference,
  source: string,
  isFormatted: boolean
): string {
  const places = bindings.flatMap(({ place }) => place ?? [])
  const [first, last] = [places[0], places.at(-1)]
  const toText = ({ place, name, imported, local, isType }: Placed) => {
    if (place && name === imported) return source.slice(place.start, place.end)

    return `${isType ? 'type ' : ''}${name === local ? local : `${name}${variable ? ':' : ' as'} ${local}`}`
  }
  const toNext = ({ place }: Placed) =>
    place && isFormatted ? source.slice(place.end, places[places.indexOf(place) + 1]?.start) : ', '
  const text = names.map((one, index) => toText(one) + (index < names.length - 1 ? toNext(one) : '')).join('')

  return isFormatted && braces && first && last
    ? source.slice(braces.start, first.start) + text + source.slice(last.end, braces.end)
    : `{ ${text} }`
}
