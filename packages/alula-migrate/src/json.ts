import { applyEdits, findNodeAtLocation, modify, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { indentationAt, lineAt, lineEnding } from './lines.ts'

/** An object in JSON, with comments and trailing commas, of which properties are changed and the rest stays as it is. */
export class JsonText {
  readonly source: string
  /** Nothing for what is not an object. */
  readonly root: Node | undefined
  /** With the changes. */
  text: string

  constructor(source: string) {
    const errors: ParseError[] = []
    const root = parseTree(source, errors, { allowTrailingComma: true })
    // A byte order mark is an error to the parser, which goes on.
    const isRead = errors.every(({ offset }) => offset === 0 && source.startsWith('\uFEFF'))

    this.source = source
    this.text = source
    this.root = root?.type === 'object' && isRead ? root : undefined
  }

  /** The value at a path, before any change. */
  find(...path: string[]): Node | undefined {
    return this.root && findNodeAtLocation(this.root, path)
  }

  /** The string at a path. */
  getString(...path: string[]): string | undefined {
    const value = this.find(...path)?.value

    return typeof value === 'string' ? value : undefined
  }

  /** The properties of the object at a path, as name and value. */
  entries(...path: string[]): [name: string, value: Node][] {
    const node = path.length === 0 ? this.root : this.find(...path)

    return ((node?.type === 'object' && node.children) || []).flatMap(({ children = [] }) =>
      children.length === 2 ? [[children[0]?.value, children[1] as Node]] : []
    )
  }

  /** The line of the property at a path; of the nearest object around it when there is none. */
  lineOf(...path: string[]): number {
    const node = this.find(...path)

    if (!node && path.length > 1) return this.lineOf(...path.slice(0, -1))

    return lineAt(this.source, (node?.parent ?? this.root)?.offset ?? 0)
  }

  /**
   * Sets the property at a path; `undefined` removes it. `isSorted`: whether a new property comes in front of the first name
   * that is later, and a new object is the last property around it; otherwise they are first.
   */
  set(path: readonly string[], value: unknown, isSorted = false): void {
    const name = path.at(-1) as string
    const root = parseTree(this.text) as Node
    const parent = findNodeAtLocation(root, path.slice(0, -1))
    const text = parent && this.text.slice(parent.offset, parent.offset + parent.length)
    const [first] = this.entries().map(([, { parent }]) => parent as Node)
    const indentation = (first && indentationAt(this.source, first.offset)) || '  '
    // An object on one line stays on one line.
    const isFormatted = parent?.children?.length === 0 || (text ?? this.text).includes('\n')
    const formattingOptions = {
      insertSpaces: !indentation.includes('\t'),
      tabSize: indentation.length,
      eol: lineEnding(this.source)
    }
    const edits = modify(this.text, [...path], value, {
      ...(isFormatted && { formattingOptions }),
      getInsertionIndex: (names) => {
        const index = names.findIndex((other) => !isSorted || (parent && other > name))

        return index === -1 ? names.length : index
      }
    })

    this.text = applyEdits(this.text, edits)
  }
}
