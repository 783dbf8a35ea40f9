import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { buildCommand, runNode } from '../support/command.ts'

let run: (...args: string[]) => ReturnType<typeof runNode>

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'alula-command-'))
  const file = await buildCommand(folder)

  run = (...args) => runNode([file, ...args])

  return () => rmSync(folder, { recursive: true, force: true })
})

it.each([
  [[], 'Missing command. There are two: audit and openapi.'],
  [['move', '.'], "Unknown command 'move'. There are two: audit and openapi."],
  [['audit', 'app.js', '--force'], "Unknown option '--force'."],
  [['audit'], 'Missing file. Name the one that exports the application.'],
  [['audit', 'app.js', '--check'], 'Missing snapshot. Name its file after --check.'],
  [['audit', 'a.js', 'b.js'], "One file at a time, and not 'b.js' as well."],
  [['audit', 'a.js', '--server'], "This command has no option '--server'."]
])('%j is answered with a sentence and how to do it', async (args, sentence) => {
  const { code, stdout, stderr } = await run(...args)

  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr.split('\n')[0]).toBe(sentence)
  expect(stderr).toContain('Usage: alula audit <file> [--check <snapshot>]')
})

it('--help shows how, and --version which', async () => {
  expect((await run('--help')).stdout).toContain('Usage: alula audit <file>')
  expect((await run('audit', '-h')).stdout).toContain('--check')
  expect((await run('--version')).stdout).toBe(`${manifest.version}\n`)
})

it('the package says where the command is', () => {
  expect(manifest.bin).toEqual({ alula: 'dist/cli/cli.js' })
})
