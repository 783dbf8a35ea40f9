/** Finds where a segment ends that begins at a position of a text or behind it; -1 if there is none. */
export type Search = (text: string, start: number) => number

/** How long a segment can be for the search of JavaScript, which may take as many steps as both lengths multiplied. */
const SHORT = 32

/** Makes a search for a segment whose time grows with the length of the text, whatever the two are. */
export function toSearch(segment: string): Search {
  if (segment.length > SHORT) return toLinearSearch(segment)

  return (text, start) => {
    const found = text.indexOf(segment, start)

    return found === -1 ? -1 : found + segment.length
  }
}

/** Looks at nothing twice (Knuth, Morris and Pratt 1977). */
function toLinearSearch(segment: string): Search {
  const borders = toBorders(segment)

  return (text, start) => {
    let matched = 0

    for (let position = start; position < text.length; position++) {
      matched = extend(segment, borders, matched, text[position] as string)
      if (matched === segment.length) return position + 1
    }

    return -1
  }
}

/** For each beginning of a segment how long the longest other beginning is that it ends with. */
function toBorders(segment: string): number[] {
  const borders = [0]

  for (let end = 1; end < segment.length; end++) {
    borders.push(extend(segment, borders, borders[end - 1] as number, segment[end] as string))
  }

  return borders
}

/** How much of a segment is there after one more character, where so much of it was there before. */
function extend(segment: string, borders: readonly number[], matched: number, character: string): number {
  let length = matched

  while (length > 0 && segment[length] !== character) length = borders[length - 1] as number

  return segment[length] === character ? length + 1 : length
}
