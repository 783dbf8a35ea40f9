import type { Binding, Reference } from './references.ts'

/** Names that come from one module: the text in front of `from`, or of `=`. */
export interface Part {
  readonly from: string
  readonly clause: string
}

/** A binding, with the module that has it now and its name there. */
export type Placed = Binding & { readonly from: string; readonly name: string }

/**
 * Distributes the names of a statement, without those that are not needed, to the modules where they live now. `entry` is the
 * module that has all names by default. Returns nothing where it has all names as they are written.
 */
export function distribute(
  reference: Reference,
  placed: readonly Placed[],
  entry: string,
  source: string
): Part[] | undefined {
  const { bindings = [] } = reference
  const isSame = ({ from, form, name }: Placed, index: number) =>
    from === entry && form === bindings[index]?.form && name === bindings[index]?.imported

  if (placed.length === bindings.length && placed.every(isSame)) return undefined

  return [...new Set([entry, ...placed.map(({ from }) => from)])].flatMap((from) => {
    const own = placed.filter((one) => one.from === from)
    const clauses = toClauses(own, reference, (names) => toList(names, reference, source, from === entry))

    return clauses.map((clause) => ({ from, clause }))
  })
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
