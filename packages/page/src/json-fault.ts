// Browsers say in different ways, or not at all, where text stops being JSON.

const STRING = '"(?:\\\\.|[^"\\\\\n])*"'

/** Deeper lists would be too many calls. */
const MAX_DEPTH = 500

/** The line of text at which it stops being JSON, from 1. */
export function findJsonFault(text: string): number {
  let at = 0

  function take(source: string): boolean {
    const pattern = new RegExp(`\\s*(?:${source})`, 'y')

    pattern.lastIndex = at

    const isThere = pattern.test(text)

    if (isThere) at = pattern.lastIndex

    return isThere
  }

  function takeValue(depth: number, name = ''): boolean {
    if (depth > MAX_DEPTH || !take(name)) return false
    if (take('\\[')) return takeList(depth, '\\]')
    if (take('{')) return takeList(depth, '}', `${STRING}\\s*:`)

    return take(`${STRING}|-?\\d[\\d.eE+-]*|true|false|null`)
  }

  function takeList(depth: number, end: string, name?: string): boolean {
    if (take(end)) return true

    do {
      if (!takeValue(depth + 1, name)) return false
    } while (take(','))

    return take(end)
  }

  takeValue(0)
  take('')

  return text.slice(0, at).split('\n').length
}
