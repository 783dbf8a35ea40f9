import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'

const run = promisify(execFile)

/** What separates the outputs of commands. */
const END = '--- the end of an output ---'

/**
 * Runs the commands of `console` blocks in one shell, so that a command sees the variables of those before it, and
 * expects that each succeeds and prints what is below it. `…` stands for anything.
 *
 * @param blocks The blocks: lines that begin with `$ ` are commands, the others what they print
 * @param here What to replace in commands, such as the address of a server
 * @param cwd The folder of the shell
 */
export async function expectSession(
  blocks: readonly string[],
  here: { readonly [text: string]: string },
  cwd?: string
): Promise<void> {
  const entries = blocks
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .map((entry) => entry.trim().split('\n') as [string, ...string[]])
  let script = entries
    .map(([command]) => `${command.replaceAll('curl ', 'curl -s ')}\necho '${END}'\n`)
    .join('')

  for (const [text, replacement] of Object.entries(here)) script = script.replaceAll(text, replacement)

  const { stdout } = await run('sh', ['-ec', script], { cwd })
  const outputs = stdout.split(END).slice(0, -1)

  expect(outputs).toHaveLength(entries.length)
  for (const [index, [command, ...printed]] of entries.entries()) {
    const parts = printed
      .join('\n')
      .split('…')
      .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))

    expect(outputs[index]?.replaceAll('\r', '').trim(), command).toMatch(
      new RegExp(`^${parts.join('[^"]+?')}$`)
    )
  }
}
