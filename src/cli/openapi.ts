import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { toOpenApi } from '../openapi/document.ts'
import type { CommandOutcome } from './command-outcome.ts'
import { withApplication } from './load.ts'

/**
 * Prints the document of an application as JSON. Its title and version are those of the package that the file belongs to.
 * Throws UsageError for a file without an application.
 */
export async function describeFile(file: string, server: string | undefined): Promise<CommandOutcome> {
  const info = readInfo(dirname(file))
  const document = await withApplication(file, (app) =>
    toOpenApi(app, { ...(info && { info }), ...(server !== undefined && { servers: [{ url: server }] }) })
  )

  return { code: 0, output: `${JSON.stringify(document, null, 2)}\n` }
}

/** The nearest package with a name. */
function readInfo(folder: string): { title: string; version: string } | undefined {
  const { name, version } = readPackage(folder)

  if (name) return { title: name, version: version ?? '0.0.0' }

  return dirname(folder) === folder ? undefined : readInfo(dirname(folder))
}

function readPackage(folder: string): { readonly name?: string; readonly version?: string } {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  } catch {
    return {}
  }
}
