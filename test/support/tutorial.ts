// Reads the tutorial: each chapter writes files and changes some of those before it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { createFolder } from './command.ts'
import { readBlocks, readPage } from './page.ts'
import { type Printed, readLines } from './program.ts'
import { findPort } from './redis.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** A paragraph that begins with the name of a file, or a block of code. */
const PART = /^`((?:[\w-]+\/)*[\w.-]*\.\w+(?:\.\w+)*|Dockerfile)`.*$|^(## .+)$|^```(\w+)\n([\s\S]*?)^```/gm

/** What a chapter has. */
export interface Chapter {
  readonly name: string
  readonly page: string
  /** The commands of its `sh` blocks. */
  readonly commands: readonly string[]
  /** Its `console` blocks. */
  readonly sessions: readonly string[]
}

/** The application as it is after a chapter. */
export interface Stage {
  readonly chapter: Chapter
  /** The content of each file that the chapters show. */
  readonly files: ReadonlyMap<string, string>
  /** The scripts of `package.json`. */
  readonly scripts: { readonly [name: string]: string }
  /** The names of the packages that were installed, with those for development. */
  readonly packages: readonly string[]
}

/** The chapters in their order. */
export async function readChapters(): Promise<readonly Chapter[]> {
  const names = readdirSync(join(ROOT, 'docs/tutorial')).sort()

  return await Promise.all(
    names.map(async (file) => {
      const name = file.replace(/\.md$/, '')
      const page = await readPage(`tutorial/${name}`)

      return {
        name,
        page,
        commands: readBlocks(page, 'sh').flatMap((block) => block.trim().split('\n')),
        sessions: readBlocks(page, 'console')
      }
    })
  )
}

/**
 * The application after the first chapters.
 *
 * @param chapters All chapters
 * @param count How many
 * @param end A heading of the last one, at which it ends
 */
export function toStage(chapters: readonly Chapter[], count: number, end?: string): Stage {
  const passed = chapters.slice(0, count)
  const files = new Map<string, string>()
  const commands = passed.flatMap(({ commands }) => commands)

  for (const { page } of passed)
    applyChapter(files, end === undefined ? page : (page.split(`\n## ${end}\n`)[0] as string))

  const settings = commands.filter((command) => command.startsWith('npm pkg set ')).join(' ')
  const installs = commands.filter((command) => /^npm install .*\w/.test(command))

  return {
    chapter: passed.at(-1) as Chapter,
    files,
    scripts: Object.fromEntries(
      [...settings.matchAll(/scripts\.([\w:]+)=(?:"([^"]+)"|(\S+))/g)].map(([, name, text, word]) => [
        name as string,
        (text ?? word) as string
      ])
    ),
    packages: installs.flatMap((command) => command.replace(/^npm install (--save-dev )?/, '').split(' '))
  }
}

function applyChapter(files: Map<string, string>, page: string): void {
  let path: string | undefined

  for (const [, file, heading, language, code = ''] of page.matchAll(PART)) {
    if (file !== undefined) path = file
    else if (heading !== undefined) path = undefined
    else if (path === undefined || ['sh', 'console'].includes(language as string)) continue
    else if (language === 'diff') files.set(path, change(files.get(path) ?? '', code, path))
    else files.set(path, code)
  }
}

/** Applies one hunk of a diff, whose lines have to be in the file once. */
function change(text: string, hunk: string, path: string): string {
  const pick = (marks: string) =>
    hunk
      .split('\n')
      .slice(0, -1)
      .filter((line) => line === '' || marks.includes(line.charAt(0)))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const parts = text.split(pick(' -'))

  if (parts.length !== 2)
    throw new Error(`The lines of this change are in ${path} ${parts.length - 1} times:\n${hunk}`)

  return parts.join(pick(' +'))
}

/** Writes the application into a folder, and runs the commands that write into files. */
export async function writeStage({ files, scripts }: Stage, chapters: readonly Chapter[]): Promise<string> {
  const folder = createFolder()
  const manifest = { name: 'notes', private: true, type: 'module', scripts }

  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const [path, content] of [...files, ['package.json', JSON.stringify(manifest)] as const]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }

  for (const command of chapters
    .flatMap(({ commands }) => commands)
    .filter((one) => one.startsWith('echo '))) {
    await runIn(folder, command)
  }

  return folder
}

/** Runs a command of a shell; returns what it printed. */
export async function runIn(cwd: string, command: string): Promise<string> {
  const child = spawn('sh', ['-ec', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''

  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }

  const [code] = await once(child, 'close')

  if (code !== 0) throw new Error(`'${command}' ended with code ${code}: ${output}`)

  return output
}

/** Starts the server of an application; returns its address. */
export async function serveStage(cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const port = await findPort()
  const child = spawn(process.execPath, ['src/server.js'], {
    cwd,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const { waitFor }: Printed = readLines(child.stdout as Readable)

  onTestFinished(() => void child.kill('SIGKILL'))
  await waitFor('The API is at')

  return `localhost:${port}`
}
