import MagicString from 'magic-string'
import { distribute, type Part, type Placed } from './bindings.ts'
import { indentationAt, lineAt, lineEnding } from './lines.ts'
import { isClientFile, lookUp, type Replacement, resolveName, toPackageName } from './packages.ts'
import { type Binding, endOf, findReferences, type Reference, type ReferenceKind } from './references.ts'
import type { Anchor, Change, Remark, Rewritten } from './rewritten.ts'
import { type Node, parseSource } from './syntax.ts'
import { findUses, type Member, type Use } from './uses.ts'

/** The parts of a request of Koa whose types come with `koa-body`. */
const PARSED_BODY = /\brequest\b[^;]*\b(?:body|rawBody|files)\b/

const DEPENDS = 'whether it has to change depends on the code that reads it'

/** Kinds of references that load nothing themselves, or nothing that is known. */
const UNLOADED: readonly ReferenceKind[] = ['comment', 'computed', 'text']

/**
 * Rewrites the imports of a source text; the same text when there is nothing to do. The ending of `path` tells the language.
 * `hasKoa`: whether `@feathersjs/koa` gave its types to the whole application. Throws SyntaxError for what cannot be parsed.
 */
export function rewriteSource(source: string, path = 'source.ts', hasKoa = false): Rewritten {
  return new Rewriter(source, parseSource(source, path)).run(hasKoa && /\.[cm]?tsx?$/.test(path))
}

class Rewriter {
  readonly source: string
  readonly file: Node
  text: MagicString
  readonly changes: Change[] = []
  readonly remarks: Remark[] = []
  readonly packages = new Set<string>()
  readonly references: readonly Reference[]
  readonly isClient: boolean

  constructor(source: string, file: Node) {
    this.source = source
    this.file = file
    this.text = new MagicString(source)
    this.references = findReferences(file, source)
    this.isClient = isClientFile(
      this.references.filter(({ kind }) => !UNLOADED.includes(kind)).map(({ specifier }) => specifier)
    )
  }

  run(lacksBodyTypes: boolean): Rewritten {
    for (const reference of this.references) this.rewrite(reference)
    if (lacksBodyTypes) this.addBodyTypes()

    const { changes, remarks, packages } = this

    return { text: this.text.toString(), changes, remarks, packages }
  }

  rewrite(reference: Reference): void {
    const { kind, specifier, string } = reference
    // What is augmented is the same everywhere, in a client too.
    const known = lookUp(specifier, this.isClient && kind !== 'augmentation')

    if (known?.kind === 'replaced' && kind !== 'computed') this.rewriteAs(reference, known.replacement)
    else if (kind === 'computed' && known) {
      this.remark(string, 'the name of this module is computed: rewrite it by hand')
    } else if (!UNLOADED.includes(kind)) {
      this.load(specifier)
      if (known?.kind === 'unknown') this.remark(string, `'${specifier}': ${known.reason}`)
    }
  }

  rewriteAs(reference: Reference, replacement: Replacement): void {
    const { kind, specifier, string, member } = reference
    const { entry, isAlwaysThere } = replacement

    if (kind === 'text') this.remark(string, `'${specifier}' is a string here: ${DEPENDS}`)
    else if (member !== undefined) this.rewriteMember(reference, replacement, member)
    else if (kind === 'call') this.rewriteCall(reference, replacement)
    else if (kind === 'sideEffect' && isAlwaysThere) this.remove(reference, specifier)
    else if (kind === 'augmentation' && entry !== 'alula') {
      this.leave(reference, `only 'alula' can be augmented, '${entry}' cannot`, 'typescript')
    } else if (kind === 'comment' || reference.bindings) this.rewriteBindings(reference, replacement)
    else {
      this.rename(reference, entry)
      if (kind === 'mock') {
        this.remark(string, `a mock of '${specifier}' is one of '${entry}' now, with other names`)
      }
    }
  }

  rewriteBindings(reference: Reference, replacement: Replacement): void {
    const { kind, bindings = [], braces, isAlone, specifier, string } = reference

    this.remarkOnErrors(reference)

    if (bindings.length === 0) {
      this.rename(reference, replacement.entry)
      if (replacement.moved && !braces) {
        this.remark(string, `not every name of '${specifier}' is in '${replacement.entry}'`, 'names')
      }
      return
    }

    const { text, changes } = { text: this.text.clone(), changes: this.changes.length }
    const placed = bindings.flatMap((binding) => this.place(binding, reference, replacement))
    const parts = distribute(reference, placed, replacement.entry, this.source)

    if (!parts) this.rename(reference, replacement.entry)
    else if (parts.length === 0 && (kind !== 'require' || isAlone)) this.remove(reference, specifier)
    else if (parts.length === 0 || kind === 'equals' || this.hasComment(reference)) {
      const names = parts.map(({ from, clause }) => `${clause} from '${from}'`)
      const advice = names.join('; ') || `no name of '${specifier}' is needed`

      this.text = text
      this.changes.length = changes
      this.leave(reference, `rewrite this by hand: ${advice}`)
    } else if (parts.some(({ from }) => from !== specifier)) this.replace(reference, parts)
  }

  /** Where a name lives now; nowhere when it is not needed. */
  place(binding: Binding, reference: Reference, replacement: Replacement): Placed[] {
    const { kind, specifier, isAwaited } = reference
    const { form, imported } = binding
    const { entry, main, hasDefault } = replacement
    const isImport = kind === 'import'
    // `{ default as name }` is the default export too. In CommonJS, not every module has one.
    const isWhole =
      form !== 'name' || (imported === 'default' && kind !== 'export' && (isImport || main !== undefined))

    if (isWhole && (kind === 'export' || this.bindModule(reference, replacement, binding)))
      return [{ ...binding, from: entry, form: 'namespace', name: '*' }]
    if (form !== 'name') {
      return hasDefault && isImport
        ? [{ ...binding, from: entry, form: 'default', name: 'default' }]
        : [{ ...binding, from: entry, form: 'name', name: main as string }]
    }

    const target = resolveName(replacement, imported)

    if (typeof target === 'string') {
      if (this.removeConfigured(reference, replacement, binding)) return []
      this.leave(reference, toGone(reference, imported, target))
      return [{ ...binding, from: specifier, name: imported }]
    }

    const { from, name = imported } = target
    const isDefault = name === 'default' && from !== entry && kind !== 'export' && !isAwaited

    return [{ ...binding, from, form: isDefault ? 'default' : 'name', name }]
  }

  rewriteMember(reference: Reference, replacement: Replacement, member: string): void {
    const target = resolveName(replacement, member)

    if (typeof target === 'string') this.leave(reference, toGone(reference, member, target))
    else if (target.name === 'default' && member !== 'default') {
      this.leave(reference, `'${member}' is the package '${target.from}' now`)
    } else {
      if (target.name) this.edit(reference.start, reference.end, target.name)
      this.rename(reference, target.from)
    }
  }

  rewriteCall(reference: Reference, { entry, main, moved }: Replacement): void {
    const { calledAt, string } = reference

    if (calledAt !== undefined && main) this.text.appendLeft(calledAt, `.${main}`)
    else if (main || moved) this.remark(string, `'${entry}' is a module with names, and no function`, 'names')
    this.rename(reference, entry)
  }

  /**
   * Binds a name to the module itself where members of it are used: before, it was a function that had them. Returns
   * whether it did.
   */
  bindModule(reference: Reference, replacement: Replacement, { form, local }: Binding): boolean {
    const { main } = replacement
    const { kind, isAwaited, isExported } = reference
    const uses = findUses(this.file, local, reference)
    const members = uses.filter((use) => use.kind === 'member')
    const calls = uses.filter((use) => use.kind === 'call')
    const isFunction = main !== undefined && members.length === 0
    // `import * as` and `await import()` never were more than the names, unless they are called.
    const isNamespace = form === 'namespace' && (kind === 'import' || isAwaited)
    // What else is done with an awaited module may need the names.
    const isCalled = calls.length > 0 && (!isAwaited || (calls.length === uses.length && !isExported))

    if (isFunction && (!isNamespace || isCalled)) return false

    for (const use of members) this.rewriteUse(use, replacement)
    if (main) {
      if (isExported) this.remarkOnModule(reference, local, main)
      this.rewriteCalls(uses, local, main)
    }

    return true
  }

  rewriteUse({ member }: Use, replacement: Replacement): void {
    const { text, start, end, isShorthand } = member as Member
    const target = resolveName(replacement, text)

    if (typeof target === 'string') {
      this.remark(member as Member, `'${text}' has no counterpart: ${target}`, 'names')
    } else if (target.from !== replacement.entry) {
      this.remark(member as Member, `'${text}' comes from '${target.from}' now`, 'names')
    } else if (target.name && target.name !== text) {
      this.edit(start, end, isShorthand ? `${target.name}: ${text}` : target.name)
    }
  }

  rewriteCalls(uses: readonly Use[], name: string, main: string): void {
    for (const { kind, node } of uses) {
      if (kind === 'call') {
        this.text.appendLeft(node.end, `.${main}`)
        this.change(node, `${name}() → ${name}.${main}()`)
      } else if (kind !== 'member') {
        this.remarkOnModule(node, name, main)
      }
    }
  }

  remarkOnModule(place: { readonly start: number }, name: string, main: string): void {
    this.remark(place, `'${name}' is a module here, and its function is '${name}.${main}'`, 'names')
  }

  /** Removes each `.configure(name())` of what every application does now. Returns whether it is used for nothing else. */
  removeConfigured(reference: Reference, { unneeded = [] }: Replacement, binding: Binding): boolean {
    if (!unneeded.includes(binding.imported) || reference.kind === 'export') return false

    const uses = findUses(this.file, binding.local, reference).map(({ parents }) => parents.slice(-4))
    const isConfigured = ([, , configure, call]: readonly Node[]) =>
      call?.type === 'CallExpression' && configure?.callee?.property?.name === 'configure'

    if (!uses.every(isConfigured)) return false

    for (const [list, statement, configure] of uses as [Node, Node, Node][]) {
      const object = configure.callee?.object as Node
      const isStatement =
        statement.type === 'ExpressionStatement' && object.type === 'Identifier' && Array.isArray(list.body)

      if (isStatement) {
        const { start } = statement

        this.remove({ start, end: endOf(statement, this.source) }, `${binding.local}()`)
      } else {
        this.edit(object.end, configure.end, '')
        this.change(configure.callee?.property as Node, `${binding.local}() → (not needed)`)
      }
    }

    return true
  }

  remarkOnErrors(reference: Reference): void {
    if (toPackageName(reference.specifier) !== '@feathersjs/errors') return

    for (const { local } of reference.bindings ?? []) {
      const tested = findUses(this.file, local, reference).filter(({ kind }) => kind === 'instanceof')

      for (const { node } of tested)
        this.remark(node, `errors of packages that stay are not 'instanceof ${local}'`, 'errors')
    }
  }

  /** `@feathersjs/koa` added the types of `koa-body` to every request of Koa, also in files that import only `koa`. */
  addBodyTypes(): void {
    const names = this.references.map(({ specifier }) => specifier)
    const last = this.references.filter(({ kind }) => kind === 'import').at(-1)
    const isKoa = names.some((name) => /^(?:koa|@koa\/router|koa-router)$/.test(name))

    if (!last || !isKoa || names.includes('koa-body') || !PARSED_BODY.test(this.source)) return

    this.load('koa-body')
    this.text.appendLeft(last.end, `${this.newLine(last)}import type {} from ${this.toEnd(last, 'koa-body')}`)
    this.change(last.string, '+ koa-body, whose types @feathersjs/koa added')
  }

  /** The old package is still loaded: the place needs a manual change. */
  leave({ specifier, string }: Reference, text: string, anchor: Anchor = 'names'): void {
    this.load(specifier)
    this.remark(string, text, anchor)
  }

  load(module: string): void {
    this.packages.add(toPackageName(module)).add(module)
  }

  rename({ specifier, string }: Reference, to: string): void {
    if (to === specifier) return
    this.load(to)
    this.edit(string.start + 1, string.end - 1, to)
    this.change(string, `${specifier} → ${to}`)
  }

  replace(reference: Reference, parts: readonly Part[]): void {
    const { kind, variable, isAlone, isType, string, start, end, specifier } = reference
    const modules = [...new Set(parts.map(({ from }) => from))]
    const toStart = (clause: string) =>
      variable
        ? this.source.slice(start, variable.start) + clause + this.source.slice(variable.end, string.start)
        : `${kind}${isType ? ' type' : ''} ${clause} from `
    const texts = parts.map(({ from, clause }) => toStart(clause) + this.toEnd(reference, from))

    for (const module of modules) this.load(module)
    this.edit(start, end, texts.join(variable && !isAlone ? ', ' : this.newLine(reference)))
    this.change(string, `${specifier} → ${modules.join(', ')}`)
  }

  /** The end of a statement, from the string on, with another module. */
  toEnd({ string, end }: Reference, module: string): string {
    return this.source[string.start] + module + this.source.slice(string.end - 1, end)
  }

  newLine({ start }: Reference): string {
    return lineEnding(this.source) + indentationAt(this.source, start)
  }

  /** Takes a statement away, and its line if nothing else is on it. */
  remove({ start, end }: { readonly start: number; readonly end: number }, name: string): void {
    const firstLine = this.source.startsWith('\uFEFF') ? 1 : 0
    const lineStart = Math.max(this.source.lastIndexOf('\n', start - 1) + 1, firstLine)
    const rest = /^[ \t]*(?:\r?\n|$)/.exec(this.source.slice(end))
    const isAlone = rest !== null && this.source.slice(lineStart, start).trim() === ''

    this.edit(isAlone ? lineStart : start, isAlone ? end + rest[0].length : end, '')
    this.change({ start }, `${name} → (not needed)`)
  }

  edit(start: number, end: number, text: string): void {
    if (text === '') this.text.remove(start, end)
    else this.text.update(start, end, text)
  }

  change({ start }: { readonly start: number }, text: string): void {
    this.changes.push({ line: lineAt(this.source, start), text })
  }

  remark({ start }: { readonly start: number }, text: string, anchor: Anchor = 'manual-changes'): void {
    this.remarks.push({ line: lineAt(this.source, start), text, anchor })
  }

  hasComment({ start, end, string }: Reference): boolean {
    const text = this.source.slice(start, end).replace(this.source.slice(string.start, string.end), '')

    return /\/[/*]/.test(text)
  }
}

function toGone({ specifier }: Reference, name: string, reason: string): string {
  return `'${name}' of '${specifier}' has no counterpart: ${reason}`
}
