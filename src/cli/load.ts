import { pathToFileURL } from 'node:url'
import type { Application } from '../core/types.ts'
import { UsageError } from './outcome.ts'

/**
 * Reads something off the application of a file. It is set up, and torn down; it does not listen.
 *
 * @param file The path of a module that exports the application as `default` or `app`
 * @param read Reads it
 * @throws UsageError for a file without an application
 */
export async function withApplication<T>(file: string, read: (app: Application) => T): Promise<T> {
  const app = await loadApplication(file)

  if (!app._isSetup) await app.setup()

  const result = read(app)

  await app.teardown()

  return result
}

async function loadApplication(file: string): Promise<Application> {
  const loaded: { readonly default?: unknown; readonly app?: unknown } = await import(
    pathToFileURL(file).href
  )
  const app = [loaded.default, loaded.app].find(isApplication)

  if (!app) throw new UsageError(`'${file}' exports no application as default or as app.`)

  return app
}

function isApplication(value: unknown): value is Application {
  const { setup, services } = (value ?? {}) as Partial<Application>

  return typeof setup === 'function' && typeof services === 'object'
}
