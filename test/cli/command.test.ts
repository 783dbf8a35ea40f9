import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { COMMANDS } from '../../src/cli/commands.ts'
import { buildCommand, runNode } from '../support/command.ts'

let run: (...args: string[]) => ReturnType<typeof runNode>

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'alula-command-'))
  const file = await buildCommand(folder)

  run = (...args) => runNode([file, ...args])

  return () => rmSync(folder, { recursive: true, force: true })
})

it.each([
  [[], 'Missing command.'],
  [['move', '.'], "Unknown command 'move'."],
  [['--app', 'app.js'], 'Missing command.'],
  [['--force', 'move'], "Unknown option '--force'."],
  [['audti', 'app.js'], "Unknown command 'audti'. Did you mean 'audit'?"]
])('%j is answered with a sentence and all commands', async (args, sentence) => {
  const { code, stdout, stderr } = await run(...args)

  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr.split('\n')[0]).toBe(sentence)
  expect(stderr).toContain('Usage: alula <command>')
})

it.each([
  [['audit', 'app.js', '--force'], "Unknown option '--force'."],
  [['audit'], 'Missing operand. audit expects <file>.'],
  [['audit', 'app.js', '--check'], 'Missing value. Give it after --check.'],
  [['audit', 'a.js', 'b.js'], "Unexpected operand 'b.js'. audit expects <file>."],
  [['audit', 'a.js', '--server', '/'], "Unknown option '--server'."],
  [['--server', '/', 'audit', 'a.js'], "Unknown option '--server'."],
  [['--check', 'a.json', 'audit'], 'Missing operand. audit expects <file>.']
])('%j is answered with a sentence and how to do it', async (args, sentence) => {
  const { code, stdout, stderr } = await run(...args)

  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr.split('\n')[0]).toBe(sentence)
  expect(stderr).toContain('Usage: alula audit <file> [--check <snapshot>]')
})

it.each(Object.entries(COMMANDS))(
  '%s --help shows the options and an example',
  async (name, { example, options }) => {
    const { code, stdout } = await run(name, '--help')

    expect(code).toBe(0)
    expect(stdout).toContain(`Usage: alula ${name}`)
    expect(stdout).toContain(`Example: ${example}`)
    for (const option of Object.keys(options)) expect(stdout).toContain(`--${option}`)
  }
)

it('--help lists the commands, and --version says which version', async () => {
  const { stdout } = await run('--help')

  for (const name of Object.keys(COMMANDS)) expect(stdout).toContain(`\n  ${name} `)
  expect((await run('--version')).stdout).toBe(`${manifest.version}\n`)
})

it('the package says where the command is', () => {
  expect(manifest.bin).toEqual({ alula: 'dist/cli/cli.js' })
})
