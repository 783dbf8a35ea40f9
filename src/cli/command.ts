import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { auditFile } from './audit.ts'
import { type CommandOutcome, UsageError } from './command-outcome.ts'
import { describeFile } from './openapi.ts'

const USAGE = `Usage: alula audit <file> [--check <snapshot>]
       alula openapi <file> [--server <url>]

audit prints who may call what of the application that a file exports as default or as app. It sets the
application up, and does not listen.

  --check     compares it with what was printed before: exits with 1 and names what differs

openapi prints the OpenAPI document of that application.

  --server    the address of the API; / when left out

  --help      shows this
  --version   shows the version of alula
`

const FLAGS = ['--check', '--server', '--help', '-h', '--version', '-v']

/**
 * Runs the command.
 *
 * @param args What stands after the name of the command
 * @throws SyntaxError for an application that cannot be parsed
 */
export async function runCommand(args: readonly string[]): Promise<CommandOutcome> {
  try {
    return await run(args)
  } catch (error) {
    // Only Node knows the line of a module that it cannot parse, and says it where nothing catches the error.
    if (error instanceof SyntaxError) throw error

    const message = error instanceof Error ? error.message : String(error)

    return { code: 1, output: error instanceof UsageError ? `${message}\n\n${USAGE}` : `${message}\n` }
  }
}

async function run(args: readonly string[]): Promise<CommandOutcome> {
  const flags = args.filter((argument) => argument.startsWith('-'))
  const [command, ...operands] = args.filter((argument) => !argument.startsWith('-'))
  const unknown = flags.find((flag) => !FLAGS.includes(flag))

  if (unknown !== undefined) throw new UsageError(`Unknown option '${unknown}'.`)
  if (flags.includes('--help') || flags.includes('-h')) return { code: 0, output: USAGE }
  if (flags.includes('--version') || flags.includes('-v')) {
    return { code: 0, output: `${readVersion()}\n` }
  }

  switch (command) {
    case 'audit':
      return await audit(operands, flags)
    case 'openapi':
      return await openapi(operands, flags)
    case undefined:
      throw new UsageError('Missing command. There are two: audit and openapi.')
    default:
      throw new UsageError(`Unknown command '${command}'. There are two: audit and openapi.`)
  }
}

async function audit(operands: readonly string[], flags: readonly string[]): Promise<CommandOutcome> {
  refuseOption('--server', flags)

  const { file, value } = readOperands(operands, flags, {
    option: '--check',
    missing: 'Missing snapshot. Name its file after --check.'
  })

  return await auditFile(resolve(file), value === undefined ? undefined : resolve(value))
}

async function openapi(operands: readonly string[], flags: readonly string[]): Promise<CommandOutcome> {
  refuseOption('--check', flags)

  const { file, value } = readOperands(operands, flags, {
    option: '--server',
    missing: 'Missing server. Name its address after --server.'
  })

  return await describeFile(resolve(file), value)
}

/** The value of an option is the second name, wherever the option stands: `audit app.js --check exposure.json`. */
function readOperands(
  [file, value, ...others]: readonly string[],
  flags: readonly string[],
  { option, missing }: { readonly option: string; readonly missing: string }
): { readonly file: string; readonly value: string | undefined } {
  const hasOption = flags.includes(option)

  if (hasOption && file !== undefined && value === undefined) throw new UsageError(missing)

  assertFile(file, hasOption ? others : [value, ...others])

  return { file, value: hasOption ? value : undefined }
}

function assertFile(
  file: string | undefined,
  [other]: readonly (string | undefined)[]
): asserts file is string {
  if (file === undefined) throw new UsageError('Missing file. Name the one that exports the application.')
  if (other !== undefined) throw new UsageError(`One file at a time, and not '${other}' as well.`)
}

function refuseOption(option: string, flags: readonly string[]): void {
  if (flags.includes(option)) throw new UsageError(`This command has no option '${option}'.`)
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
