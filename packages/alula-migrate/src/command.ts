import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readVersion } from './alula.ts'
import { migrateFolder } from './migrate.ts'
import { renderCheck, renderReport } from './report.ts'

/** What the command prints, and the exit code of its process. */
export interface MigrationOutcome {
  readonly code: number
  readonly output: string
}

const USAGE = `Usage: alula-migrate [folder] [--dry-run | --check]

Rewrites the imports of @feathersjs/* in a project of Feathers v5, with its package.json and tsconfig.json,
and lists the places that need manual changes. Without a folder, the current one.

  --dry-run   prints the changes and writes nothing
  --check     prints what would be left for a human, as JSON, and writes nothing
  --help      shows this
  --version   shows the version of alula-migrate
`

/** A mistake in the arguments, which is answered with the usage. */
class UsageError extends Error {}

/** Runs the command with the arguments after its name. */
export function runCommand(args: readonly string[]): MigrationOutcome {
  try {
    return run(args)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)

    return { code: 1, output: error instanceof UsageError ? `${message}\n\n${USAGE}` : `${message}\n` }
  }
}

function run(args: readonly string[]): MigrationOutcome {
  const flags = args.filter((argument) => argument.startsWith('-'))
  const [folder = '.', ...others] = args.filter((argument) => !argument.startsWith('-'))
  const unknown = flags.find((flag) => !/^(--(dry-run|check|help|version)|-h|-v)$/.test(flag))
  const has = (...names: string[]) => names.some((name) => flags.includes(name))

  if (unknown !== undefined) throw new UsageError(`Unknown option '${unknown}'.`)
  if (has('--help', '-h')) return { code: 0, output: USAGE }
  if (has('--version', '-v')) return { code: 0, output: `${readVersion()}\n` }
  if (others.length > 0) throw new UsageError(`One folder at a time, and not '${others[0]}' as well.`)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`There is no folder '${folder}'.`)
  }

  const dryRun = has('--check', '--dry-run')
  const files = migrateFolder(resolve(folder), { dryRun })

  return { code: 0, output: has('--check') ? renderCheck(files) : renderReport(files, dryRun) }
}
