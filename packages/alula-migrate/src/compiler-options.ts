import { posix } from 'node:path'
import { JsonText } from './json.ts'
import { type Change, type Remark, type Rewritten, unchanged } from './rewritten.ts'

export interface CompilerOptionsInput {
  /** Whether the files of the package are ES modules. */
  readonly isModule: boolean
  /** Whether packages stay whose types are those of Feathers v5. */
  readonly hasHostedTypes: boolean
  /** The options of the files that this one extends, in lower case; nothing when one of them cannot be read. */
  readonly inherited: { readonly [name: string]: string } | undefined
  /** The folder with the packages, from the folder of the file. */
  readonly modules: string
}

/**
 * Modules whose types the packages that stay name in theirs. The second one is what they augment, so it is the file that
 * declares the types: an augmentation does not see names that a module only exports again.
 */
const HOSTED_TYPES = {
  '@feathersjs/feathers': 'alula/dist/index.d.ts',
  '@feathersjs/feathers/lib/declarations': 'alula/dist/core/types.d.ts'
}

/** Settings that know `exports` of a package. In those of the second list, CommonJS must not import ES modules. */
const CURRENT = ['bundler', 'node20', 'nodenext', 'preserve']
const STRICT = ['node16', 'node18']
const ES_MODULES = /^es(?:\d|next)/

/**
 * Changes a `tsconfig.json` so that the types of alula are found, and so that packages that stay use them too.
 *
 * @param source Its text, with comments or without
 * @param input What is known of the package
 */
export function rewriteCompilerOptions(source: string, input: CompilerOptionsInput): Rewritten {
  const json = new JsonText(source)
  const { inherited = {}, hasHostedTypes, modules } = input
  const isObject = json.find('compilerOptions')?.type === 'object'

  if (!json.root || (!isObject && Object.keys(inherited).length === 0)) {
    return unchanged(source, "has no 'compilerOptions': they need module 'nodenext'", 'typescript')
  }

  const own = (name: string) => json.getString('compilerOptions', name)?.toLowerCase()
  const { values, remark } = planModule(own, input)
  const changes: Change[] = []
  const change = (name: string, text: string) =>
    changes.push({ line: json.lineOf('compilerOptions', name), text: `${name}: ${text}` })

  for (const [name, value] of values) {
    json.set(['compilerOptions', name], value)
    change(name, `${own(name) ?? inherited[name.toLowerCase()] ?? '(none)'} → ${value}`)
  }
  if (!json.find('compilerOptions', 'skipLibCheck') && inherited.skiplibcheck === undefined) {
    json.set(['compilerOptions', 'skipLibCheck'], true)
    change('skipLibCheck', '(none) → true')
  }
  // Paths begin at the base, which is the folder of the file when there is none.
  const base = posix.normalize(json.getString('compilerOptions', 'baseUrl') ?? '.')

  for (const [name, types] of hasHostedTypes ? Object.entries(HOSTED_TYPES) : []) {
    const target = posix.relative(base, posix.join(modules, types))

    if (json.find('compilerOptions', 'paths', name)) continue
    json.set(['compilerOptions', 'paths', name], [target.startsWith('.') ? target : `./${target}`], true)
    change('paths', `+ ${name}, whose types are those of alula`)
  }

  const line = json.lineOf('compilerOptions', 'module')
  const remarks: Remark[] = remark === undefined ? [] : [{ line, text: remark, anchor: 'typescript' }]

  return { ...unchanged(json.text), changes, remarks }
}

function planModule(
  own: (name: string) => string | undefined,
  { isModule, inherited }: CompilerOptionsInput
): { readonly values: readonly (readonly [name: string, value: string])[]; readonly remark?: string } {
  const module = own('module') ?? inherited?.module
  const resolution = own('moduleResolution') ?? inherited?.moduleresolution
  const decisive = resolution ?? module ?? ''
  const isUnknown = module === undefined && inherited === undefined

  if (CURRENT.includes(decisive) || (isModule && STRICT.includes(decisive))) return { values: [] }
  if (!isModule && !isUnknown && (module === undefined || ['commonjs', ...STRICT].includes(module))) {
    const names = ['module', ...(resolution === undefined ? [] : ['moduleResolution'])]

    return { values: names.map((name) => [name, 'nodenext']) }
  }
  if (module !== undefined && ES_MODULES.test(module)) return { values: [['moduleResolution', 'bundler']] }

  return {
    values: [],
    remark: "'exports' of packages have to be read: set 'moduleResolution' to 'nodenext' or 'bundler'"
  }
}
