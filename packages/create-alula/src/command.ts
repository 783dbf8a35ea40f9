import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ask } from './ask.ts'
import { type Choices, DATABASES, DEFAULTS, TEMPLATES, toDefaultName, toKey, toName } from './choices.ts'
import { composeFiles } from './compose.ts'
import { findOldPackages } from './old-packages.ts'
import { prepare } from './prepare.ts'
import { renderChoices, renderNextSteps, renderOldPackages } from './report.ts'
import { UsageError } from './usage-error.ts'
import { writeFiles } from './write.ts'

const USAGE = `Usage: npm create alula@latest [name] -- [options]

Makes an application with alula in a new folder, and installs its packages. With a flag, or without a terminal,
nothing is asked: what is not given has its default.

  --template    api (default), react, or express: adds an API to the Express application in this folder
  --database    sqlite (default), postgresql or memory
  --js          JavaScript; TypeScript when left out
  --no-install  does not run npm install
  --help        shows this
  --version     shows the version

Example: npm create alula@latest notes -- --template react --database postgresql
`

const OPTIONS = {
  template: { type: 'string' },
  database: { type: 'string' },
  js: { type: 'boolean' },
  'no-install': { type: 'boolean' },
  // For packages that are not in a registry: a folder of their tarballs.
  packages: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' }
} as const

/** Makes an application from the arguments after the name of the command, and returns the exit code of the process. */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    await run(args)

    return 0
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)

    console.error(error instanceof UsageError ? `${message}\n\n${USAGE}` : message)

    return 1
  }
}

async function run(args: readonly string[]): Promise<void> {
  const { flags, name } = parse(args)
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

  if (flags.help) return console.log(USAGE)
  if (flags.version) return console.log(version)

  const isAsked = Object.keys(flags).length === 0 && process.stdin.isTTY && process.stdout.isTTY
  const choices = isAsked ? await ask(name) : readChoices(flags, name)

  // The questions were left.
  if (!choices) return

  const folder = choices.template === 'express' ? process.cwd() : resolve(choices.name)
  const files = composeFiles(choices, { version, packages: flags.packages })

  console.log(renderChoices(choices))

  const written = writeFiles(folder, files, { isAdded: choices.template === 'express' })
  const isInstalled = !flags['no-install']
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8')
  const oldPackages = findOldPackages(JSON.parse(manifest), JSON.parse(files.get('package.json') ?? '{}'))

  // Before they are installed: with an old one the next steps may fail.
  if (oldPackages.length > 0) console.log(renderOldPackages(oldPackages))

  if (isInstalled) await prepare(folder, choices)
  console.log(renderNextSteps(choices, { written, isInstalled }))
}

type Flags = ReturnType<typeof parse>['flags']

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    const [name, other] = positionals

    if (other !== undefined) throw new UsageError(`One name at a time, and not '${other}' as well.`)

    return { flags: values, name }
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message)
  }
}

function readChoices(flags: Flags, name: string | undefined): Choices {
  const template = toKey('template', flags.template ?? DEFAULTS.template, TEMPLATES)

  return {
    name: toName(name ?? toDefaultName(template, process.cwd())),
    template,
    database: toKey('database', flags.database ?? DEFAULTS.database, DATABASES),
    language: flags.js ? 'javascript' : 'typescript'
  }
}
