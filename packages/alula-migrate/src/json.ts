import { indentationAt } from './edit.ts'
import { type Token, tokenize, toStringValue } from './lexer.ts'

/** A property of an object in JSON, and where it stands. */
export interface JsonProperty {
  readonly key: string
  readonly start: number
  readonly valueStart: number
  readonly end: number
  /** The value as it is written. */
  readonly text: string
  /** The value, where it is an object. */
  readonly object?: JsonObject
}

/** An object in JSON, from brace to brace. */
export interface JsonObject {
  readonly start: number
  readonly end: number
  readonly properties: readonly JsonProperty[]
}

/**
 * Finds the properties of an object, so that one can be changed and the rest stays as it is written. Comments and
 * trailing commas are allowed.
 *
 * @param source The text of the file
 * @returns Nothing when it does not hold an object
 */
export function locateJson(source: string): JsonObject | undefined {
  return new JsonReader(source).readObject()
}

/** The property of a name. */
export function getProperty(object: JsonObject | undefined, key: string): JsonProperty | undefined {
  return object?.properties.find((property) => property.key === key)
}

/** The value of a property that is text. */
export function getText(object: JsonObject | undefined, key: string): string | undefined {
  const text = getProperty(object, key)?.text

  return text?.startsWith('"') ? text.slice(1, -1) : undefined
}

/** The white space in front of the properties of an object, or of those that it would have. */
export function indentationOf(source: string, { start, properties }: JsonObject): string {
  const [first] = properties

  return first ? indentationAt(source, first.start) : `${indentationAt(source, start)}  `
}

class JsonReader {
  readonly source: string
  readonly tokens: readonly Token[]
  position = 0

  constructor(source: string) {
    this.source = source
    this.tokens = tokenize(source)
  }

  readObject(): JsonObject | undefined {
    const open = this.tokens[this.position]
    const properties: JsonProperty[] = []

    if (open?.text !== '{') return undefined
    this.position += 1

    while (this.position < this.tokens.length) {
      const token = this.tokens[this.position] as Token

      this.position += 1
      if (token.text === '}') return { start: open.start, end: token.end, properties }

      const key = toStringValue(token)

      if (key !== undefined && this.tokens[this.position]?.text === ':') {
        this.position += 1
        properties.push(this.readProperty(token, key))
      }
    }

    return undefined
  }

  readProperty({ start }: Token, key: string): JsonProperty {
    const valueStart = this.tokens[this.position]?.start ?? this.source.length
    const object = this.readObject()

    if (!object) this.skipValue()

    const end = this.tokens[this.position - 1]?.end ?? this.source.length

    return { key, start, valueStart, end, text: this.source.slice(valueStart, end), object }
  }

  skipValue(): void {
    for (let depth = 0; this.position < this.tokens.length; this.position++) {
      const { text } = this.tokens[this.position] as Token

      if (depth === 0 && (text === ',' || text === '}')) return
      if (text === '[' || text === '{') depth += 1
      if (text === ']' || text === '}') depth -= 1
    }
  }
}
