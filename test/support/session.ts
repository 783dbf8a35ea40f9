import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'

const run = promisify(execFile)

/**
 * Runs the commands of a `console` block of a document and expects what stands below each of them.
 *
 * @param session The block: lines that begin with `$ ` are commands, the others what they print
 * @param here What to replace in commands, such as the address of a server
 */
export async function expectSession(
  session: string,
  here: { readonly [text: string]: string }
): Promise<void> {
  for (const entry of session.split(/^\$ /m).slice(1)) {
    const [shown, ...printed] = entry.trim().split('\n') as [string, ...string[]]
    let command = shown.replace(/^curl/, 'curl -s')

    for (const [text, replacement] of Object.entries(here)) command = command.replaceAll(text, replacement)

    const { stdout } = await run('sh', ['-c', command])

    expect(stdout.trim().split('\n'), shown).toEqual(printed)
  }
}

/** The blocks of code of a document that are in one language. */
export function readBlocks(markdown: string, language: string): string[] {
  const blocks = markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)

  return [...blocks].filter((block) => block[1] === language).map((block) => block[2] as string)
}
