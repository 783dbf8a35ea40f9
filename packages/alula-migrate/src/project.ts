import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { JsonText } from './json.ts'

/** The folder and those around it, the nearest first. */
export function foldersAround(folder: string): string[] {
  const parent = dirname(folder)

  return parent === folder ? [folder] : [folder, ...foldersAround(parent)]
}

/** Reads a file of JSON; what is not there is empty. */
export function readJson(path: string): JsonText {
  return new JsonText(existsSync(path) ? readFileSync(path, 'utf8') : '')
}

/**
 * The folders of a package that a compiler fills: `outDir` of its `tsconfig.json`, and that of `main` where a source of
 * the same name is in `src`.
 */
export function findCompiled(folder: string): string[] {
  const main = readJson(join(folder, 'package.json')).getString('main') ?? ''
  const [top = '', ...rest] = posix.normalize(main).split('/')
  const source = (rest.join('/') || 'index').replace(/(\.js)?$/, '.ts')
  const sources = [join(folder, 'src', source), join(folder, source)]
  const outDir = readJson(join(folder, 'tsconfig.json')).getString('compilerOptions', 'outDir')
  const isFilled = top !== 'src' && sources.some((path) => existsSync(path))

  return [outDir && posix.normalize(outDir).replace(/\/$/, ''), isFilled && top].filter(
    (name): name is string => typeof name === 'string' && !/^(\.*|src)$/.test(name)
  )
}

/**
 * Reads the options that a `tsconfig.json` gets from others by `extends`.
 *
 * @returns Names and values in lower case; nothing when one of the files is not there
 */
export function readInherited(file: string): { readonly [name: string]: string } | undefined {
  const { value, children = [] } = readJson(file).find('extends') ?? {}
  const inherited: { [name: string]: string } = {}

  for (const name of value === undefined ? children.map((child) => child.value) : [value]) {
    const base = resolveExtended(dirname(file), String(name))
    const above = base === undefined ? undefined : readInherited(base)

    if (base === undefined || above === undefined) return undefined
    Object.assign(inherited, above)
    for (const [option, { value }] of readJson(base).entries('compilerOptions')) {
      inherited[option.toLowerCase()] = String(value).toLowerCase()
    }
  }

  return inherited
}

function resolveExtended(folder: string, name: string): string | undefined {
  const bases = name.startsWith('.')
    ? [join(folder, name)]
    : foldersAround(folder).map((around) => join(around, 'node_modules', name))

  return bases
    .flatMap((base) => (base.endsWith('.json') ? [base] : [`${base}.json`, join(base, 'tsconfig.json')]))
    .find((path) => existsSync(path))
}

/** The folder with the packages of a project, from that project: in a monorepo it may be further up. */
export function findModules(folder: string): string {
  const around = foldersAround(folder)
  const installed = around.find((one) => existsSync(join(one, 'node_modules/@feathersjs/feathers')))
  const workspace = around.find((one) => readJson(join(one, 'package.json')).find('workspaces'))

  return relative(folder, join(installed ?? workspace ?? folder, 'node_modules'))
    .split(sep)
    .join('/')
}
