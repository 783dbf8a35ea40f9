import { indentationAt, lineEnding } from './edit.ts'
import type { Bindings, NamedBinding } from './references.ts'

/** Names that come from one module. */
export interface Part {
  readonly from: string
  defaultName?: string
  namespace?: string
  readonly named: NamedBinding[]
}

/** How a statement is written. */
export interface Format {
  readonly quote: string
  readonly semicolon: string
  /** What stands between two statements. */
  readonly separator: string
  readonly keyword: string
  /** The line break and the indentation in front of each name, where they are not on one line. */
  readonly list: string | undefined
  readonly listEnd: string
  readonly space: string
}

/**
 * Reads how a statement is written, so that what takes its place looks like it.
 *
 * @param source The whole text
 * @param statement Where it stands, its quotes, and whether it says `type`
 */
export function toFormat(
  source: string,
  { start, end, quote, isType }: { start: number; end: number; quote: string; isType?: boolean }
): Format {
  const text = source.slice(start, end)

  return {
    quote,
    semicolon: text.endsWith(';') ? ';' : '',
    separator: lineEnding(source) + indentationAt(source, start),
    keyword: isType ? ' type' : '',
    list: /\{[ \t]*(\r?\n[ \t]*)/.exec(text)?.[1],
    listEnd: /,\s*\}/.test(text) ? ',' : '',
    space: /\{\S/.test(text) ? '' : ' '
  }
}

/** Whether everything comes from one module, under the names that it had. */
export function isOnePart([part, ...others]: readonly Part[], bindings: Bindings): boolean {
  const named = bindings.named ?? []

  return (
    part !== undefined &&
    others.length === 0 &&
    part.defaultName === bindings.defaultName &&
    part.namespace === bindings.namespace &&
    part.named.every(({ imported }, index) => imported === named[index]?.imported)
  )
}

/** `import` and `export` statements: two where a module comes as a whole and by names. */
export function renderStatements(
  { from, defaultName, namespace, named }: Part,
  kind: 'import' | 'export',
  format: Format
): string[] {
  const { keyword, quote, semicolon } = format
  const start = `${kind}${keyword}`
  const end = `from ${quote}${from}${quote}${semicolon}`
  const clauses = [
    namespace && [defaultName, `* as ${namespace}`].filter(Boolean).join(', '),
    [!namespace && defaultName, named.length > 0 && renderNames(named, ' as ', format)]
      .filter(Boolean)
      .join(', ')
  ]

  return clauses.filter(Boolean).map((clause) => `${start} ${clause} ${end}`)
}

/**
 * Variables that take what `require` or `await import` returns, without the word in front of them.
 *
 * @param loader What stands in front of the name of the module: `require(`
 */
export function renderVariables(
  { from, defaultName, namespace, named }: Part,
  loader: string,
  format: Format
): string[] {
  const load = `${loader}${format.quote}${from}${format.quote})`
  const isRequired = loader.startsWith('require')
  const names = [
    ...(defaultName && !isRequired ? [{ imported: 'default', local: defaultName, isType: false }] : []),
    ...named
  ]
  const variables = [
    namespace,
    isRequired && defaultName,
    names.length > 0 && renderNames(names, ': ', format)
  ]

  return variables.filter(Boolean).map((variable) => `${variable} = ${load}`)
}

function renderNames(
  named: readonly NamedBinding[],
  separator: string,
  { list, listEnd, space, separator: lineBreak }: Format
): string {
  const names = named.map((name) => renderName(name, separator))

  return list === undefined || names.length === 1
    ? `{${space}${names.join(', ')}${space}}`
    : `{${names.map((name) => list + name).join(',')}${listEnd}${lineBreak}}`
}

function renderName({ imported, local, isType }: NamedBinding, separator: string): string {
  const name = imported === local ? imported : `${imported}${separator}${local}`

  return isType ? `type ${name}` : name
}

/** In words: which names come from where. */
export function describeParts(parts: readonly Part[]): string {
  return parts
    .map(({ from, defaultName, namespace, named }) => {
      const names = [defaultName, namespace, ...named.map(({ imported }) => imported)].filter(Boolean)

      return `${names.join(', ')} from '${from}'`
    })
    .join('; ')
}
