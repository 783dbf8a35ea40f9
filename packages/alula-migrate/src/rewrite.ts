import { applyEdits, type Edit, lineAt } from './edit.ts'
import { type Token, tokenize } from './lexer.ts'
import { isClientFile, lookUp, type Replacement, resolveName, toPackageName } from './packages.ts'
import { findReferences, type NamedBinding, type Reference } from './references.ts'
import { describeParts, isOnePart, type Part, renderStatements, renderVariables, toFormat } from './render.ts'
import type { Anchor, Change, Remark, Rewritten } from './rewritten.ts'
import { findUses, type Member, type Use } from './uses.ts'

export interface RewriteOptions {
  /** Whether `<` can begin an element, as in everything but `.ts`. */
  readonly jsx?: boolean
}

/**
 * Rewrites the imports of a source text.
 *
 * @param source JavaScript or TypeScript
 * @param options What the text may hold
 * @returns The same text when there is nothing to do
 */
export function rewriteSource(source: string, options: RewriteOptions = {}): Rewritten {
  return new Rewriter(source, tokenize(source, options)).run()
}

class Rewriter {
  readonly source: string
  readonly tokens: readonly Token[]
  readonly edits: Edit[] = []
  readonly changes: Change[] = []
  readonly remarks: Remark[] = []
  readonly packages = new Set<string>()
  readonly references: readonly Reference[]
  readonly isClient: boolean

  constructor(source: string, tokens: readonly Token[]) {
    this.source = source
    this.tokens = tokens
    this.references = findReferences(tokens)
    this.isClient = isClientFile(
      this.references.filter(({ kind }) => kind !== 'text').map(({ specifier }) => specifier)
    )
  }

  run(): Rewritten {
    for (const reference of this.references) this.rewrite(reference)

    const { changes, remarks, packages } = this

    return { text: applyEdits(this.source, this.edits), changes, remarks, packages }
  }

  rewrite(reference: Reference): void {
    const { kind, specifier, token } = reference
    // What is augmented is the same everywhere, in a client too.
    const known = lookUp(specifier, this.isClient && kind !== 'augmentation')

    if (kind === 'text') {
      if (known?.kind === 'replaced') {
        this.remark(
          token,
          `'${specifier}' is a string here: whether it has to change depends on the code that reads it`
        )
      }
      return
    }
    if (kind === 'computed') {
      if (known) this.remark(token, 'the name of this module is computed: rewrite it by hand')
      return
    }
    if (known?.kind !== 'replaced') {
      this.packages.add(toPackageName(specifier))
      if (known?.kind === 'unknown') this.remark(token, `'${specifier}': ${known.reason}`)
      return
    }

    this.rewriteAs(reference, known.replacement)
  }

  rewriteAs(reference: Reference, replacement: Replacement): void {
    const { kind, specifier, token } = reference

    for (const peer of replacement.peers ?? []) this.packages.add(peer)

    switch (kind) {
      case 'import':
      case 'export':
      case 'require':
        this.rewriteBindings(reference, replacement)
        break
      case 'member':
        this.rewriteMember(reference, replacement)
        break
      case 'call':
        this.rewriteCall(reference, replacement)
        break
      case 'sideEffect':
        if (replacement.isAlwaysThere) this.remove(reference)
        else this.rename(reference, replacement.entry)
        break
      case 'augmentation':
        this.rewriteAugmentation(reference, replacement)
        break
      case 'mock':
        this.rename(reference, replacement.entry)
        this.remark(
          token,
          `a mock of '${specifier}' is one of '${replacement.entry}' now, which has other names`
        )
    }
  }

  rewriteAugmentation(reference: Reference, { entry }: Replacement): void {
    if (entry === 'alula') this.rename(reference, entry)
    else {
      this.keep(reference)
      this.remark(reference.token, `only 'alula' can be augmented, '${entry}' cannot`, 'typescript')
    }
  }

  rewriteBindings(reference: Reference, replacement: Replacement): void {
    const { bindings = {}, specifier, token } = reference

    this.remarkOnErrors(reference)

    if (!bindings.defaultName && !bindings.namespace && !bindings.named?.length) {
      this.rename(reference, replacement.entry)
      if (replacement.moved && !bindings.named) {
        this.remark(token, `not every name of '${specifier}' is in '${replacement.entry}'`, 'names')
      }
      return
    }

    const marks = [this.edits.length, this.changes.length] as const
    const parts = this.distribute(reference, replacement)

    if (isOnePart(parts, bindings)) {
      this.rename(reference, (parts[0] as Part).from)
    } else if (reference.declarator === 'import' || this.hasComment(reference)) {
      this.edits.length = marks[0]
      this.changes.length = marks[1]
      this.keep(reference)
      this.remark(token, `rewrite this by hand: ${describeParts(parts)}`, 'names')
    } else {
      this.replace(reference, this.renderParts(reference, parts), parts)
    }
  }

  renderParts({ kind, declarator, token, start, end, isType }: Reference, parts: readonly Part[]): string {
    const format = toFormat(this.source, { start, end, quote: token.text[0] as string, isType })

    if (kind !== 'require') {
      return parts
        .flatMap((part) => renderStatements(part, kind as 'import' | 'export', format))
        .join(format.separator)
    }

    const text = this.source.slice(start, token.start)
    const loader = text.slice(text.lastIndexOf('=') + 1).trim()
    const separator = declarator ? `${format.semicolon}${format.separator}${declarator} ` : ', '

    return parts.flatMap((part) => renderVariables(part, loader, format)).join(separator) + format.semicolon
  }

  rewriteMember(reference: Reference, replacement: Replacement): void {
    const { start, end } = reference
    const member = reference.member as string
    const target = resolveName(replacement, member)

    if (typeof target === 'string') {
      this.reportGone(reference, member, target)
    } else if (target.name === 'default' && member !== 'default') {
      this.keep(reference)
      this.remark(reference.token, `'${member}' is the package '${target.from}' now`, 'names')
    } else {
      if (target.name) this.edits.push({ start, end, text: target.name })
      this.rename(reference, target.from)
    }
  }

  rewriteCall(reference: Reference, { entry, main, moved }: Replacement): void {
    const { calledAt, token } = reference

    if (calledAt !== undefined && main) {
      this.edits.push({ start: calledAt, end: calledAt, text: `.${main}` })
    } else if (main || moved) {
      this.remark(token, `'${entry}' is a module with names, and no function`, 'names')
    }
    this.rename(reference, entry)
  }

  /** Says for each name where it comes from now. */
  distribute(reference: Reference, replacement: Replacement): Part[] {
    const { bindings = {}, kind, specifier } = reference
    const parts = new Map<string, Part>()
    const kept: Part = { from: specifier, named: [] }
    const part = (from: string, key = from): Part => {
      const existing = parts.get(key) ?? { from, named: [] }

      parts.set(key, existing)
      return existing
    }
    const add = (binding: NamedBinding): void => {
      const target = resolveName(replacement, binding.imported)

      if (typeof target === 'string') {
        this.reportGone(reference, binding.imported, target)
        kept.named.push(binding)
      } else if (target.name === 'default' && target.from !== replacement.entry && kind !== 'export') {
        part(target.from).defaultName = binding.local
      } else {
        part(target.from).named.push({ ...binding, imported: target.name ?? binding.imported })
      }
    }

    const { defaultName, namespace, named = [] } = bindings
    const { entry, main, hasDefault } = replacement
    const addMain = (name: string): void => {
      if (hasDefault && kind === 'import') part(entry).defaultName = name
      else part(entry).named.push({ imported: main as string, local: name, isType: false })
    }
    const bindModule = (name: string) => this.bindModule(reference, replacement, name, part)
    // `{ default as name }` is the default export too. In CommonJS, not every module has one.
    const isDefault = ({ imported }: NamedBinding) =>
      imported === 'default' && (kind === 'import' || (kind === 'require' && main !== undefined))

    if (kind === 'export') {
      if (namespace) part(entry).namespace = namespace
    } else {
      if (defaultName && !bindModule(defaultName)) addMain(defaultName)
      if (namespace && !bindModule(namespace)) addMain(namespace)
    }
    for (const binding of named) {
      if (!isDefault(binding) || !bindModule(binding.local)) add(binding)
    }

    return [...parts.values(), ...(kept.named.length > 0 ? [kept] : [])]
  }

  /**
   * Binds a name to the module itself where members of it are used: before, it was a function that had them. Returns
   * whether it did.
   */
  bindModule(
    reference: Reference,
    replacement: Replacement,
    name: string,
    part: (from: string, key?: string) => Part
  ): boolean {
    const { entry, main } = replacement
    const uses = findUses(this.tokens, name, reference)
    const members = uses.filter(({ kind }) => kind === 'member')
    const isCalled = uses.some(({ kind }) => kind === 'call')
    const isFunction = main !== undefined && members.length === 0

    // `import * as` never was more than the names, unless it is called.
    const isNamespace = reference.kind === 'import' && reference.bindings?.namespace === name

    if (isFunction && (!isNamespace || isCalled)) return false

    // A statement has one name for the module: a second one gets a statement of its own.
    part(entry, part(entry).namespace && name).namespace = name
    for (const use of members) this.rewriteUse(use, replacement)
    if (main) this.rewriteCalls(uses, name, main)

    return true
  }

  rewriteUse({ member }: Use, replacement: Replacement): void {
    const { text, start, end } = member as Member
    const target = resolveName(replacement, text)

    if (typeof target === 'string') {
      this.remark(member as Member, `'${text}' has no counterpart: ${target}`, 'names')
    } else if (target.from !== replacement.entry) {
      this.remark(member as Member, `'${text}' comes from '${target.from}' now`, 'names')
    } else if (target.name) {
      this.edits.push({ start, end, text: target.name })
    }
  }

  rewriteCalls(uses: readonly Use[], name: string, main: string): void {
    for (const { kind, token } of uses) {
      if (kind === 'call') {
        this.edits.push({ start: token.end, end: token.end, text: `.${main}` })
        this.changes.push({ line: this.line(token), text: `${name}() → ${name}.${main}()` })
      } else if (kind !== 'member') {
        this.remark(token, `'${name}' is a module here, and its function is '${name}.${main}'`, 'names')
      }
    }
  }

  remarkOnErrors({ bindings = {}, specifier, ...declaration }: Reference): void {
    if (toPackageName(specifier) !== '@feathersjs/errors') return

    const { defaultName, namespace, named = [] } = bindings

    for (const name of [defaultName, namespace, ...named.map(({ local }) => local)]) {
      for (const { kind, token } of name ? findUses(this.tokens, name, declaration) : []) {
        if (kind !== 'instanceof') continue
        this.remark(token, `errors of packages that stay are not 'instanceof ${name}'`, 'errors')
      }
    }
  }

  reportGone(reference: Reference, name: string, reason: string): void {
    this.keep(reference)
    this.remark(
      reference.token,
      `'${name}' of '${reference.specifier}' has no counterpart: ${reason}`,
      'names'
    )
  }

  /** The old package is still loaded. */
  keep({ specifier }: Reference): void {
    this.packages.add(toPackageName(specifier))
  }

  rename({ specifier, token }: Reference, to: string): void {
    if (to === specifier) return
    this.edits.push({ start: token.start + 1, end: token.end - 1, text: to })
    this.packages.add(toPackageName(to))
    this.changes.push({ line: this.line(token), text: `${specifier} → ${to}` })
  }

  replace(reference: Reference, text: string, parts: readonly Part[]): void {
    const { start, end, specifier } = reference
    const modules = new Set(parts.map(({ from }) => from))

    for (const module of modules) this.packages.add(toPackageName(module))
    this.edits.push({ start, end, text })
    this.changes.push({ line: this.line(reference.token), text: `${specifier} → ${[...modules].join(', ')}` })
  }

  /** Takes a statement away, and its line if nothing else is on it. */
  remove({ start, end, specifier, token }: Reference): void {
    const firstLine = this.source.startsWith('\uFEFF') ? 1 : 0
    const lineStart = Math.max(this.source.lastIndexOf('\n', start) + 1, firstLine)
    const rest = /^[ \t]*(?:\r?\n|$)/.exec(this.source.slice(end))
    const isAlone = rest !== null && this.source.slice(lineStart, start).trim() === ''

    this.edits.push(
      isAlone ? { start: lineStart, end: end + rest[0].length, text: '' } : { start, end, text: '' }
    )
    this.changes.push({ line: this.line(token), text: `${specifier} → (not needed)` })
  }

  remark(place: { readonly start: number }, text: string, anchor: Anchor = 'manual-changes'): void {
    this.remarks.push({ line: this.line(place), text, anchor })
  }

  line({ start }: { readonly start: number }): number {
    return lineAt(this.source, start)
  }

  hasComment({ start, end }: Reference): boolean {
    const between = this.tokens.filter((token) => token.start >= start && token.end <= end)

    return between.some((token, index) => {
      const next = between[index + 1]

      return next !== undefined && this.source.slice(token.end, next.start).trim() !== ''
    })
  }
}
