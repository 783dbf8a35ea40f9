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

/**
 * Runs the commands of `console` blocks in one shell, so that a command sees the variables of those before it, and
 * expects what stands below each. `…` stands for anything.
 *
 * @param blocks The blocks
 * @param here What to replace in commands
 */
export async function expectShellSession(
  blocks: readonly string[],
  here: { readonly [text: string]: string }
): Promise<void> {
  const end = '--- end of an answer ---'
  const entries = blocks
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .map((entry) => entry.trim().split('\n') as [string, ...string[]])
  let script = entries
    .map(([command]) => `${command.replaceAll('curl ', 'curl -s ')}\necho '${end}'\n`)
    .join('')

  for (const [text, replacement] of Object.entries(here)) script = script.replaceAll(text, replacement)

  const { stdout } = await run('sh', ['-c', script])
  const answers = stdout.split(end).slice(0, -1)

  expect(answers).toHaveLength(entries.length)
  for (const [index, [command, ...printed]] of entries.entries()) {
    const parts = printed
      .join('\n')
      .split('…')
      .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))

    expect(answers[index]?.replaceAll('\r', '').trim(), command).toMatch(
      new RegExp(`^${parts.join('[^"]+?')}$`)
    )
  }
}

/** The blocks of code of a document that are in one language. */
export function readBlocks(markdown: string, language: string): string[] {
  const blocks = markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)

  return [...blocks].filter((block) => block[1] === language).map((block) => block[2] as string)
}

/** A block of a document whose imports may stand among statements. */
export function importDynamically(block: string): string {
  return block.replace(
    /^import (?:(\w+)(?:, )?)?(?:\{([^}]+)\} )? ?from (.+)$/gm,
    (_line, standard, names, module) => {
      const list = [standard && `default: ${standard}`, names?.replaceAll(' as ', ': ')].filter(Boolean)

      return `const { ${list.join(', ')} } = await import(${module})`
    }
  )
}

/** The part of a document below a heading of the second level, up to the next one. */
export function readSection(markdown: string, heading: string): string {
  const [, section] = markdown.split(`\n## ${heading}\n`)

  if (section === undefined) throw new Error(`The document has no section '${heading}'`)

  return section.split('\n## ')[0] as string
}
