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
