import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { hasCode } from '../utils/check.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { type Command, type CommandOutcome, UsageError } from './command-outcome.ts'
import { COMMANDS } from './commands.ts'

const COMMON = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } } as const

/** Runs the command. Throws SyntaxError for an application that cannot be parsed. */
export async function runCommand(args: readonly string[]): Promise<CommandOutcome> {
  const name = findName(args)

  try {
    return await run(name, args)
  } catch (error) {
    // Only Node knows the line of a module that it cannot parse, and says it where nothing catches the error.
    if (error instanceof SyntaxError) throw error

    const message = error instanceof Error ? error.message : String(error)

    return {
      code: 1,
      output: error instanceof UsageError ? `${message}\n\n${renderUsage(name)}` : `${message}\n`
    }
  }
}

/** Options may be before the name of the command, with a value that is no name. */
function findName(args: readonly string[]): string | undefined {
  const options = toParserOptions(Object.values(COMMANDS))

  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true }).positionals[0]
}

async function run(name: string | undefined, args: readonly string[]): Promise<CommandOutcome> {
  const command = findCommand(name)
  const { operands, values } = parse(args, command)

  if (values.help) return { code: 0, output: renderUsage(name) }
  if (values.version) return { code: 0, output: `${readVersion()}\n` }
  if (name === undefined) throw new UsageError('Missing command.')
  if (!command) {
    const suggestion = didYouMean(name, Object.keys(COMMANDS))

    throw new UsageError(`Unknown command '${name}'${suggestion || '.'}`)
  }

  const [least, most] = command.count

  if (operands.length < least) throw new UsageError(`Missing operand. ${name} expects ${command.operands}.`)
  if (operands.length > most) {
    throw new UsageError(`Unexpected operand '${operands[most]}'. ${name} expects ${command.operands}.`)
  }

  return await command.run(operands, values as { readonly [name: string]: string | undefined })
}

function parse(args: readonly string[], command: Command | undefined) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: toParserOptions(command ? [command] : Object.values(COMMANDS)),
      allowPositionals: true
    })

    return { operands: positionals.slice(1), values }
  } catch (error) {
    const [, option] = /'(--?[\w-]+)/.exec((error as Error).message) ?? []

    if (hasCode(error, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE')) {
      throw new UsageError(`Missing value. Give it after ${option}.`)
    }

    throw new UsageError(`Unknown option '${option}'.`)
  }
}

function toParserOptions(commands: readonly Command[]) {
  const names = commands.flatMap(({ options }) => Object.keys(options))

  return { ...Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const)), ...COMMON }
}

function findCommand(name: string | undefined): Command | undefined {
  return name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
}

/** How to call one command, or all of them. */
function renderUsage(name: string | undefined): string {
  const command = findCommand(name)

  if (command) return renderCommand(name as string, command)

  const lines = Object.entries(COMMANDS).map(
    ([name, { operands, summary }]) => `  ${name} ${operands}\n      ${summary}`
  )

  return `Usage: alula <command>

${lines.join('\n')}

  alula <command> --help   shows its options and an example
  alula --version          shows the version of alula
`
}

function renderCommand(name: string, { operands, summary, options, example }: Command): string {
  const entries = Object.entries(options).map(
    ([name, { value, text }]) => [`--${name} ${value}`, text] as const
  )
  const width = Math.max(...entries.map(([option]) => option.length))
  const lines = entries.map(([option, text]) => `  ${option.padEnd(width)}   ${text}\n`)
  const flags = entries.map(([option]) => ` [${option}]`)

  return `Usage: alula ${name} ${operands}${flags.join('')}

${name} ${summary}.
${lines.length > 0 ? `\n${lines.join('')}` : ''}
Example: ${example}
`
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
