import { statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import type { Application } from '../core/types.ts'
import { hasCode } from '../utils/check.ts'
import { UsageError } from './command-outcome.ts'

/**
 * Reads something off the application that a file exports as `default` or `app`. It is set up, and torn down; it does not
 * listen. Throws UsageError for a file without an application; an Error with the place where the application fails.
 */
export async function withApplication<T>(
  file: string,
  read: (app: Application) => T | Promise<T>
): Promise<T> {
  const { write } = process.stdout

  // The standard output is for the result: a line that the application logs would make it invalid JSON.
  process.stdout.write = process.stderr.write.bind(process.stderr)

  try {
    return await readApplication(file, read)
  } catch (error) {
    if (error instanceof UsageError || error instanceof SyntaxError) throw error

    throw new Error(typeof error === 'string' ? error : inspect(error), { cause: error })
  } finally {
    process.stdout.write = write
  }
}

async function readApplication<T>(file: string, read: (app: Application) => T | Promise<T>): Promise<T> {
  const app = await loadApplication(file)

  // A transport that needs a server gets one, which does not listen.
  if (!app._isSetup) await app.setup(createServer())

  try {
    return await read(app)
  } finally {
    await app.teardown()
  }
}

async function loadApplication(file: string): Promise<Application> {
  const loaded = await importModule(file)
  // What a loader makes of a CommonJS module has the exports below `default`.
  const { default: exported, app: named } = (loaded.default ?? {}) as Loaded
  const app = [loaded.default, loaded.app, exported, named].find(isApplication)

  if (!app) throw new UsageError(`'${file}' exports no application as default or as app.`)

  return app
}

interface Loaded {
  readonly default?: unknown
  readonly app?: unknown
}

async function importModule(file: string): Promise<Loaded> {
  await registerLoader(file)

  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    // Asked only now: a loader may find a file by another name.
    assertFile(file)
    if (!hasCode(error, 'ERR_UNKNOWN_FILE_EXTENSION')) throw error

    throw new UsageError(
      `This version of Node does not run '${file}'. Install a loader: npm install --save-dev tsx. Or compile it, and name the file of JavaScript.`
    )
  }
}

/** A version of Node that does not run TypeScript uses `tsx`, if the application has it. */
async function registerLoader(file: string): Promise<void> {
  const { typescript } = process.features as { readonly typescript?: string | false }

  if (typescript || !/\.[cm]?ts$/.test(file)) return

  const loader = findLoader(file)

  // It registers itself when it is imported.
  if (loader !== undefined) await import(pathToFileURL(loader).href)
}

function findLoader(file: string): string | undefined {
  try {
    return createRequire(file).resolve('tsx')
  } catch {
    return undefined
  }
}

/** Refuses a path that leads to no file, by a UsageError that names the path. */
export function assertFile(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`There is no file '${path}'.`)
}

function isApplication(value: unknown): value is Application {
  const { setup, services } = (value ?? {}) as Partial<Application>

  return typeof setup === 'function' && typeof services === 'object'
}
