/** Longer texts stay plain: each word of theirs would be an element. */
const MAX_TEXT = 12_000

/** A name with its colon, a string, or a number, in JSON, JavaScript and commands. */
const PART =
  /("(?:\\.|[^"\\])*"(?=:)|^\s*[A-Za-z_]\w*(?=: ))|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\b(true|false|null|const|await|import|from)\b|(?<![\w.])(-?\d+(?:\.\d+)?)\b/gm

const LOOKS = ['name', 'string', 'word', 'number']

/** Code with the colours of its parts. */
export function Highlighted({ text }: { text: string }) {
  if (text.length > MAX_TEXT) return <>{text}</>

  const parts = []
  let end = 0

  for (const match of text.matchAll(PART)) {
    const looks = LOOKS[match.slice(1).findIndex((part) => part !== undefined)]

    parts.push(
      text.slice(end, match.index),
      <span key={match.index} class={`code-${looks}`}>
        {match[0]}
      </span>
    )
    end = match.index + match[0].length
  }

  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  )
}
