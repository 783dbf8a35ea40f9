/** A piece of the source that is replaced. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Applies edits that do not overlap.
 *
 * @param source The text
 * @param edits In any order; of those that insert at one place, the earlier comes first
 */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  let result = ''
  let position = 0

  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start)) {
    result += source.slice(position, start) + text
    position = end
  }

  return result + source.slice(position)
}

/** The line number, from 1, of a position in the source. */
export function lineAt(source: string, position: number): number {
  return source.slice(0, position).split('\n').length
}

/** The line ending that the source uses. */
export function lineEnding(source: string): string {
  return source.includes('\r\n') ? '\r\n' : '\n'
}

/** The white space that the line of a place begins with. */
export function indentationAt(source: string, position: number): string {
  const line = source.slice(source.lastIndexOf('\n', position - 1) + 1, position)

  return line.replace(/^\uFEFF/, '').replace(/[^ \t].*/, '')
}
