import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { migrateFolder, readPackageFacts } from './migrate.ts'
import { renderReport } from './report.ts'

/** What a command leaves behind. */
export interface Outcome {
  readonly code: 0 | 1
  /** What it says: on the standard output, or, when it failed, on the standard error. */
  readonly output: string
}

const USAGE = `Usage: alula migrate <folder> [--dry-run]

Rewrites the imports of @feathersjs/* in a project of Feathers v5, with its package.json and
tsconfig.json, and says what is left for you.

  --dry-run   says it, and changes nothing
  --help      shows this
  --version   shows the version of alula
`

/** The command was called wrongly: what it says then ends with how to call it. */
class UsageError extends Error {}

/**
 * Runs the command.
 *
 * @param args What stands behind the name of the command
 */
export function runCommand(args: readonly string[]): Outcome {
  try {
    return { code: 0, output: run(args) }
  } catch (error) {
    const { message } = error as Error

    return { code: 1, output: error instanceof UsageError ? `${message}\n\n${USAGE}` : `${message}\n` }
  }
}

function run(args: readonly string[]): string {
  const flags = args.filter((argument) => argument.startsWith('-'))
  const [command, folder, ...others] = args.filter((argument) => !argument.startsWith('-'))
  const unknown = flags.find((flag) => !['--dry-run', '--help', '-h', '--version', '-v'].includes(flag))

  if (unknown !== undefined) throw new UsageError(`Unknown option '${unknown}'.`)
  if (flags.includes('--help') || flags.includes('-h')) return USAGE
  if (flags.includes('--version') || flags.includes('-v')) return `${readPackageFacts().version}\n`
  if (command === undefined) throw new UsageError('Which command? There is one: migrate.')
  if (command !== 'migrate') throw new UsageError(`Unknown command '${command}'. There is one: migrate.`)
  if (folder === undefined) throw new UsageError('Which folder? Say . for the one that you are in.')
  if (others.length > 0) throw new UsageError(`One folder at a time, and not '${others[0]}' as well.`)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`There is no folder '${folder}'.`)
  }

  const dryRun = flags.includes('--dry-run')

  return renderReport(migrateFolder(resolve(folder), { dryRun }), dryRun)
}
