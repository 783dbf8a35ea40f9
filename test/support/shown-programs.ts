import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { toJavaScript } from './program.ts'
import { importDynamically } from './session.ts'

/** A program of a guide, and the sessions that show what it does. */
export interface ShownProgram {
  readonly heading: string
  readonly code: string
  readonly sessions: readonly string[]
}

/** How the programs of guides listen. */
export const LISTENING = 'createServer(toListener(app)).listen(3030)'

/**
 * The text of a guide.
 *
 * @param name The name of its file, without the ending
 */
export async function readGuide(name: string): Promise<string> {
  return await readFile(resolve(import.meta.dirname, '../../docs', `${name}.md`), 'utf8')
}

/**
 * Lists the programs of a guide that `console` blocks follow.
 *
 * @param markdown The text of the guide
 */
export function listShownPrograms(markdown: string): ShownProgram[] {
  const programs: (ShownProgram & { sessions: string[] })[] = []
  let heading = ''
  let last: { language: string; code: string } | undefined

  for (const [, title, language, code] of markdown.matchAll(/^#+ (.+)$|^```(\w*)\n([\s\S]*?)^```/gm)) {
    if (title !== undefined) heading = title
    else if (language === 'js' || language === 'ts') last = { language, code: code as string }
    else if (language === 'console' && last) {
      const text = last.language === 'ts' ? toJavaScript(last.code) : last.code
      const known = programs.at(-1)

      if (known?.code === text) known.sessions.push(code as string)
      else programs.push({ heading, code: text, sessions: [code as string] })
    }
  }

  return programs
}

/** The first program of a guide, without its types. */
export function readFirstProgram(markdown: string): string {
  const [, program] = /^```(?:js|ts)\n([\s\S]*?)^```/m.exec(markdown) as unknown as [string, string]

  return toJavaScript(program)
}

/** Makes a program that listens on 3030 listen on a free port and print its address. */
export function toServer(program: string): string {
  const listening = "listen(0, () => console.log('localhost:' + server.address().port))"

  return program.replace(LISTENING, `const server = createServer(toListener(app)).${listening}`)
}

/** Makes a block that can follow a program that has the same imports and names. */
export function toLocal(block: string): string {
  return `{\n${importDynamically(block)}}\n`
}
