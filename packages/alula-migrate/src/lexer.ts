// JavaScript and TypeScript as tokens, so that an import in a comment, a string, a template, a regular
// expression or between two tags is not taken for one. It knows no grammar: what it cannot tell apart it takes for
// punctuation.

export type TokenKind = 'name' | 'string' | 'template' | 'number' | 'regex' | 'punctuation'

export interface Token {
  readonly kind: TokenKind
  /** As it is written; of a template, the piece between two expressions. */
  readonly text: string
  readonly start: number
  readonly end: number
}

export interface LexerOptions {
  /** Whether `<` can begin an element. */
  readonly jsx?: boolean
}

/**
 * Takes a source text apart. It never fails: broken code gives tokens too.
 *
 * @param source The text
 * @param options What the text may hold
 */
export function tokenize(source: string, options: LexerOptions = {}): Token[] {
  return new Lexer(source, options.jsx ?? false).run()
}

/** The text inside of a string, or of a template without expressions; nothing where it has escapes. */
export function toStringValue(token: Token | undefined): string | undefined {
  if (token?.kind !== 'string' && token?.kind !== 'template') return undefined

  const { text } = token
  const isWhole = text.at(0) === text.at(-1)

  return isWhole && !text.includes('\\') ? text.slice(1, -1) : undefined
}

const NAME = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy
const NUMBER = /\.?\d[\w.]*/y
const STRING = /'(?:[^'\\\r\n]|\\(?:\r\n|[\s\S]))*'|"(?:[^"\\\r\n]|\\(?:\r\n|[\s\S]))*"/y
const REGEX = /\/(?![*/])(?:[^[/\\\r\n]|\\[^\r\n]|\[(?:[^\]\\\r\n]|\\[^\r\n])*\])+\/[\p{ID_Continue}$]*/uy
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y
const SPACE = /(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$))+/y
const HASHBANG = /^\uFEFF?#![^\r\n]*/
const PUNCTUATION = /=>|\+\+|--|\?\.(?!\d)|\.\.\.|\S/uy
const TAG = /<(?:([\p{ID_Start}$_][\p{ID_Continue}$.:-]*))?/uy
const ELEMENT_NAME = /[\p{ID_Start}$_][\p{ID_Continue}$.:-]*/uy
const ATTRIBUTE = /[\p{ID_Start}$_][\p{ID_Continue}$:-]*/uy
const ATTRIBUTE_VALUE = /'[^']*'|"[^"]*"/y
const JSX_TEXT = /[^<{]+/y

/** An expression follows these names. */
const OPERATORS: ReadonlySet<string> = new Set(
  'await case default delete do else extends in instanceof new of return throw typeof void yield'.split(' ')
)
const CONTROL: ReadonlySet<string> = new Set(['for', 'if', 'while', 'with'])

/** What opened a bracket, so that what follows its end is known. */
type Opening = 'control' | 'value' | 'block'

class Lexer {
  readonly source: string
  readonly jsx: boolean
  readonly tokens: Token[] = []
  position = 0
  /** Whether an expression comes next, in which `/` and `<` have another meaning. */
  expectsExpression = true

  constructor(source: string, jsx: boolean) {
    this.source = source
    this.jsx = jsx
  }

  run(): Token[] {
    this.position = HASHBANG.exec(this.source)?.[0].length ?? 0

    // A bracket too many ends the code early.
    do this.readCode()
    while (this.position < this.source.length)

    return this.tokens
  }

  /** Reads to the end, or to just after the brace that closes what was open before. */
  readCode(): boolean {
    const openings: Opening[] = []

    for (;;) {
      this.match(SPACE)
      if (this.position >= this.source.length) return false

      const character = this.source[this.position] as string

      if (character === '`') this.readTemplate()
      else if (this.read('string', STRING) || this.read('number', NUMBER)) this.expectsExpression = false
      else if (this.readName()) continue
      else if (character === '/' && this.expectsExpression && this.read('regex', REGEX)) {
        this.expectsExpression = false
      } else if (character === '<' && this.jsx && this.expectsExpression && this.readElement()) {
        this.expectsExpression = false
      } else if (this.readPunctuation(openings)) return true
    }
  }

  readName(): boolean {
    const isMember = isDot(this.tokens.at(-1))

    if (!this.read('name', NAME)) return false

    this.expectsExpression = !isMember && OPERATORS.has((this.tokens.at(-1) as Token).text)

    return true
  }

  /** Reads one sign; returns whether it closes what was not opened here. */
  readPunctuation(openings: Opening[]): boolean {
    const [holder, previous] = [this.tokens.at(-2), this.tokens.at(-1)]
    const isControl = previous?.kind === 'name' && CONTROL.has(previous.text) && !isDot(holder)
    const wasExpression = this.expectsExpression

    this.read('punctuation', PUNCTUATION)

    switch ((this.tokens.at(-1) as Token).text) {
      case '(':
      case '[':
        openings.push(isControl ? 'control' : 'value')
        this.expectsExpression = true
        return false
      case '{':
        openings.push(wasExpression && isOperator(previous) ? 'value' : 'block')
        this.expectsExpression = true
        return false
      case ')':
      case ']':
      case '}': {
        const opening = openings.pop()

        this.expectsExpression = opening !== 'value'
        return opening === undefined
      }
      case '++':
      case '--':
        return false
      default:
        this.expectsExpression = true
        return false
    }
  }

  readTemplate(): void {
    let start = this.position

    this.position += 1

    while (this.match(TEMPLATE)) {
      this.push('template', start)
      if (this.source[this.position - 1] === '`') break

      this.expectsExpression = true
      if (!this.readCode()) break
      // The brace belongs to the next piece.
      start = (this.tokens.pop() as Token).start
    }

    this.expectsExpression = false
  }

  /** Reads an element with all that is in it, or nothing. */
  readElement(): boolean {
    const { position, tokens } = this
    const { length } = tokens

    if (this.readElementParts()) return true

    // Type parameters, for example, begin alike.
    tokens.length = length
    this.position = position

    return false
  }

  readElementParts(): boolean {
    const tag = this.match(TAG)

    if (!tag) return false

    const name = tag[1]

    for (;;) {
      this.match(SPACE)
      if (this.take('/>')) return name !== undefined
      if (this.take('>')) return this.readChildren(name)

      if (this.take('{')) {
        if (!this.readExpression()) return false
      } else if (name !== undefined && this.match(ATTRIBUTE)) {
        this.match(SPACE)
        if (this.take('=') && !this.readAttributeValue()) return false
      } else return false
    }
  }

  readAttributeValue(): boolean {
    this.match(SPACE)

    if (this.match(ATTRIBUTE_VALUE)) return true
    if (this.take('{')) return this.readExpression()

    return this.readElementParts()
  }

  readChildren(name: string | undefined): boolean {
    for (;;) {
      this.match(JSX_TEXT)

      if (this.take('</')) {
        const closing = this.match(ELEMENT_NAME)?.[0]

        this.match(SPACE)

        return this.take('>') && closing === name
      }

      if (this.take('{')) {
        if (!this.readExpression()) return false
      } else if (!this.readElementParts()) return false
    }
  }

  /** Reads the expression after an opening brace that is part of an element. */
  readExpression(): boolean {
    return this.readCode() && (this.tokens.pop() as Token).text === '}'
  }

  read(kind: TokenKind, pattern: RegExp): boolean {
    const start = this.position

    if (!this.match(pattern)) return false
    this.push(kind, start)

    return true
  }

  push(kind: TokenKind, start: number): void {
    this.tokens.push({
      kind,
      text: this.source.slice(start, this.position),
      start,
      end: this.position
    })
  }

  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position

    const match = pattern.exec(this.source)

    if (match) this.position = pattern.lastIndex

    return match
  }

  take(text: string): boolean {
    if (!this.source.startsWith(text, this.position)) return false
    this.position += text.length

    return true
  }
}

/** Whether a brace after this token begins an object, not a block. */
function isOperator(token: Token | undefined): boolean {
  if (token === undefined) return false
  if (token.kind === 'name') return token.text !== 'else' && token.text !== 'do'

  return ![';', '{', '}', ')', '=>'].includes(token.text)
}

/** Whether a name after this token is a member. */
export function isDot(token: Token | undefined): boolean {
  return token?.text === '.' || token?.text === '?.'
}
