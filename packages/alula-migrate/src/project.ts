import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { parseTsconfig, type TsConfigJson } from 'get-tsconfig'
import { JsonText } from './json.ts'

export type CompilerOptions = TsConfigJson.CompilerOptions

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
  const outDir = readCompilerOptions(join(folder, 'tsconfig.json'))?.outDir
  const isFilled = top !== 'src' && sources.some((path) => existsSync(path))

  return [outDir && posix.normalize(outDir).replace(/\/$/, ''), isFilled && top].filter(
    (name): name is string => typeof name === 'string' && !/^(\.*|src)$/.test(name)
  )
}

/** Reads the options of a `tsconfig.json`, with those that it extends; nothing when one of the files cannot be read. */
export function readCompilerOptions(path: string): CompilerOptions | undefined {
  try {
    return parseTsconfig(path).compilerOptions ?? {}
  } catch {
    return undefined
  }
}

/** The folder with the packages of a project: in a monorepo it may be further up. */
export function findModules(folder: string): string {
  const around = foldersAround(folder)
  const installed = around.find((one) => existsSync(join(one, 'node_modules/@feathersjs/feathers')))
  const workspace = around.find((one) => readJson(join(one, 'package.json')).find('workspaces'))

  return join(installed ?? workspace ?? folder, 'node_modules')
}
