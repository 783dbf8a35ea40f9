import { dirname, join, relative, sep } from 'node:path'
import { createPathsMatcher } from 'get-tsconfig'
import { JsonText } from './json.ts'
import type { CompilerOptions } from './project.ts'
import { type Change, type Remark, type Rewritten, unchanged } from './rewritten.ts'

export interface CompilerOptionsInput {
  /** Whether the files of the package are ES modules. */
  readonly isModule: boolean
  /** Whether packages stay whose types are those of Feathers v5. */
  readonly hasHostedTypes: boolean
  /** Its options, with those that it extends; nothing when one of the files cannot be read. */
  readonly options: CompilerOptions | undefined
  /** Its path. */
  readonly path: string
  /** The folder with the packages. */
  readonly modules: string
}

/**
 * Modules whose types the packages that stay name in theirs. The second one is what they augment, so it is the file that
 * declares the types: an augmentation does not see names that a module only exports again. The third one adds to
 * `Application` of the second, for servers too.
 */
const HOSTED_TYPES = {
  '@feathersjs/feathers': 'alula/dist/index.d.ts',
  '@feathersjs/feathers/lib/declarations': 'alula/dist/core/types.d.ts',
  '@feathersjs/authentication-client': 'alula/dist/client.d.ts'
}

/** Settings that know `exports` of a package. In those of the second list, CommonJS must not import ES modules. */
const CURRENT = ['bundler', 'node20', 'nodenext', 'preserve']
const STRICT = ['node16', 'node18']
const ES_MODULES = /^es(?:\d|next)/

/**
 * Changes a `tsconfig.json`, with comments or without, so that the types of alula are found, and so that packages that stay use
 * them too.
 */
export function rewriteCompilerOptions(source: string, input: CompilerOptionsInput): Rewritten {
  const json = new JsonText(source)
  const own = json.entries('compilerOptions').map(([name, { value }]) => [name, value])
  const options: CompilerOptions = input.options ?? Object.fromEntries(own)

  if (!json.root || (json.find('compilerOptions')?.type !== 'object' && Object.keys(options).length === 0)) {
    return unchanged(source, "has no 'compilerOptions': they need module 'nodenext'", 'typescript')
  }

  const values = planModule(options, input)
  const changes: Change[] = []
  const change = (name: string, text: string) =>
    changes.push({ line: json.lineOf('compilerOptions', name), text: `${name}: ${text}` })

  for (const [name, value] of values ?? []) {
    json.set(['compilerOptions', name], value)
    change(name, `${options[name]?.toLowerCase() ?? '(none)'} → ${value}`)
  }
  if (options.skipLibCheck === undefined) {
    json.set(['compilerOptions', 'skipLibCheck'], true)
    change('skipLibCheck', '(none) → true')
  }
  for (const [name, targets, origin] of input.hasHostedTypes ? planPaths(json, options, input) : []) {
    json.set(['compilerOptions', 'paths', name], targets, true)
    change('paths', `+ ${name}, ${origin}`)
  }

  const text = "'exports' of packages have to be read: set 'moduleResolution' to 'nodenext' or 'bundler'"
  const line = json.lineOf('compilerOptions', 'module')
  const remarks: Remark[] = values ? [] : [{ line, text, anchor: 'typescript' }]

  return { ...unchanged(json.text), changes, remarks }
}

/** Aliases that lead to the types of alula, and those that are inherited: paths of a file hide those that it extends. */
function planPaths(
  json: JsonText,
  options: CompilerOptions,
  { path, modules }: CompilerOptionsInput
): readonly (readonly [name: string, targets: readonly string[], origin: string])[] {
  const { baseUrl = '.', paths = {} } = options
  // Paths begin at the base, which is the folder of the file when there is none.
  const base = join(dirname(path), baseUrl)
  const toTargets = (files: readonly string[]) =>
    files.map((file) =>
      relative(base, file)
        .split(sep)
        .join('/')
        .replace(/^(?!\.)/, './')
    )
  const isOwn = json.find('compilerOptions', 'paths') !== undefined
  const findTargets = createPathsMatcher({ path, config: { compilerOptions: options } })
  const hosted = Object.entries(HOSTED_TYPES).filter(([name]) => !paths[name])
  const inherited = isOwn || hosted.length === 0 ? [] : Object.keys(paths)

  return [
    ...inherited.map((name) => [name, toTargets(findTargets?.(name) ?? []), 'which is inherited'] as const),
    ...hosted.map(
      ([name, file]) => [name, toTargets([join(modules, file)]), 'whose types are those of alula'] as const
    )
  ]
}

type ModuleOption = 'module' | 'moduleResolution'

/** The values that let TypeScript read `exports` of packages; nothing when it takes a human to choose them. */
function planModule(
  options: CompilerOptions,
  { isModule, options: known }: CompilerOptionsInput
): readonly (readonly [name: ModuleOption, value: string])[] | undefined {
  const module = options.module?.toLowerCase()
  const resolution = options.moduleResolution?.toLowerCase()
  const decisive = resolution ?? module ?? ''
  const isUnknown = module === undefined && known === undefined

  if (CURRENT.includes(decisive) || (isModule && STRICT.includes(decisive))) return []
  if (!isModule && !isUnknown && (module === undefined || ['commonjs', ...STRICT].includes(module))) {
    const names: ModuleOption[] = resolution === undefined ? ['module'] : ['module', 'moduleResolution']

    return names.map((name) => [name, 'nodenext'])
  }

  return module !== undefined && ES_MODULES.test(module) ? [['moduleResolution', 'bundler']] : undefined
}
