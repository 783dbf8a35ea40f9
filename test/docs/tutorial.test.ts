import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { composeFiles } from '../../packages/create-alula/src/compose.ts'
import { alula, authentication, socketio } from '../../src/client.ts'
import { createSocket } from '../client/servers.ts'
import { describeChromium } from '../support/chromium.ts'
import { describeOwnRedis, startRedis } from '../support/redis.ts'
import { expectSession } from '../support/session.ts'
import {
  type Chapter,
  readChapters,
  runIn,
  type Stage,
  serveStage,
  toStage,
  writeStage
} from '../support/tutorial.ts'

const ROOT = resolve(import.meta.dirname, '../..')

const USER = { email: 'ada@example.com', password: 'correct horse' }

const LAST = 'A second process'

const chapters = await readChapters()

/** The application after a chapter, in a folder. */
async function write(count: number, end?: string): Promise<Stage & { readonly folder: string }> {
  const stage = toStage(chapters, count, end)

  return { ...stage, folder: await writeStage(stage, chapters.slice(0, count)) }
}

/** Runs what a chapter shows. */
function runSessions(sessions: readonly string[], cwd: string, address = ''): Promise<void> {
  const command = `node ${join(ROOT, 'dist/cli/cli.js')}`

  return expectSession(sessions, { 'localhost:3030': address, 'npx alula': command }, cwd)
}

it.each([1, 2, 3])('chapter %i: the server responds as it shows', async (count) => {
  const { chapter, folder } = await write(count)

  await runSessions(chapter.sessions, folder, await serveStage(folder))
})

it('chapter 4: the commands print what it shows, and the server has the records', async () => {
  const { chapter, folder } = await write(4)

  await runSessions(chapter.sessions, folder)

  const response = await fetch(`http://${await serveStage(folder)}/api/authentication`, {
    method: 'POST',
    body: JSON.stringify({ strategy: 'local', ...USER }),
    headers: { 'Content-Type': 'application/json' }
  })

  expect(response.status).toBe(201)
})

/** Builds the page as Vite does; Preact is smaller than React, and has the same components. */
async function buildPage(folder: string): Promise<void> {
  const html = readFileSync(join(folder, 'web/index.html'), 'utf8')

  await build({
    stdin: {
      contents: `import './web/src/main.jsx'; document.title += ' built'`,
      resolveDir: folder
    },
    outfile: join(folder, 'dist/web/main.js'),
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    alias: {
      'react-dom/client': 'preact/compat/client',
      'react/jsx-runtime': 'preact/jsx-runtime',
      react: 'preact/compat'
    },
    logLevel: 'error'
  })
  await runIn(
    folder,
    `cat > dist/web/index.html <<'HTML'\n${html.replace('/src/main.jsx', '/main.js')}\nHTML`
  )
}

/** A client that is logged in as the demo user. */
async function connectClient(address: string): Promise<any> {
  const client: any = alula()
    .configure(socketio(createSocket(`http://${address}`)))
    .configure(authentication())

  await client.authenticate({ strategy: 'local', ...USER })

  return client
}

describeChromium('chapter 5', (open) => {
  it('the page logs in, shows faults at their fields, and a note that another client adds', async () => {
    const { folder } = await write(5)

    await buildPage(folder)
    await runIn(folder, 'npm run --silent migrate && npm run --silent seed')

    const address = await serveStage(folder)
    const { page, errors } = await open(`http://${address}`)

    await page.getByLabel('Email').fill(USER.email)
    await page.getByLabel('Password').fill('wrong horse')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Invalid login').waitFor()
    await page.getByLabel('Password').fill(USER.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Buy milk').waitFor()
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('Too small').waitFor()
    await (await connectClient(address)).service('notes').create({ text: 'From elsewhere' })
    await page.getByText('From elsewhere').waitFor()
    await page.getByRole('button', { name: 'Remove Buy milk' }).click()
    await page.getByText('Buy milk').waitFor({ state: 'detached' })
    expect(errors).toEqual([])
  })
})

it('chapter 6: its tests pass, and write the table of access that the generator has', {
  timeout: 600_000
}, async () => {
  const { folder } = await write(6, LAST)

  // A shell without what Vitest tells its tests, and that writes missing files also on a server for checks.
  await runIn(folder, 'unset VITEST CI; npm test')
  expect(readFileSync(join(folder, 'exposure.json'), 'utf8')).toBe(generate().get('exposure.json'))
})

describeOwnRedis('chapter 6', () => {
  it('a note that one process creates reaches the clients of the other', async () => {
    const { folder } = await write(6)
    const { url } = await startRedis()

    await runIn(folder, 'npm run --silent migrate && npm run --silent seed')

    const addresses = await Promise.all([1, 2].map(() => serveStage(folder, { REDIS_URL: url })))
    const [one, other] = await Promise.all(addresses.map(connectClient))
    const arrived = new Promise((resolve) => other.service('notes').on('created', resolve))

    await one.service('notes').create({ text: 'Over Redis' })
    expect(await arrived).toMatchObject({ text: 'Over Redis' })
  })
})

/** What `npm create alula` makes of the choices that the tutorial ends with. */
function generate(): ReadonlyMap<string, string> {
  return composeFiles(
    { name: 'notes', template: 'react', database: 'sqlite', language: 'javascript' },
    { version: '0.1.0' }
  )
}

it('the tutorial ends with the files of the generator, and names those that it leaves out', () => {
  const { files, scripts, packages } = toStage(chapters, chapters.length, LAST)
  const made = generate()
  const { page } = chapters.at(-1) as Chapter
  const manifest = JSON.parse(made.get('package.json') as string)
  const others = [...made.keys()].filter((path) => !files.has(path))

  for (const [path, content] of files) expect(content, path).toBe(made.get(path))
  // `.env` is written by commands, `exposure.json` by a test.
  expect(others.sort()).toEqual(['.env', 'package.json', 'exposure.json', ...listNamed(page)].sort())
  expect({ lint: 'biome check --write', ...scripts }).toEqual(manifest.scripts)
  expect(['@biomejs/biome', ...packages.map((name) => name.replace(/(?<=\w)@.*/, ''))].sort()).toEqual(
    Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
      .concat('redis')
      .sort()
  )
})

/** The files that the last chapter names without showing them. */
function listNamed(page: string): readonly string[] {
  const [sentence] = /^These are the files of[\s\S]*?\n\n/m.exec(page) as RegExpExecArray

  return [...sentence.matchAll(/`([\w./]+\.\w+)`/g)].map(([, path]) => path as string)
}

it('each chapter says what will be there at its end, and leads to the next one', () => {
  for (const [index, { name, page }] of chapters.entries()) {
    const next = chapters[index + 1]

    expect(page, name).toMatch(
      new RegExp(`^# ${index + 1}\\. .+\\n\\n[^#]*\\*\\*At the end of this chapter\\*\\* `)
    )
    if (next) expect(page, name).toContain(`](${next.name}.md)`)
    for (const [, image] of page.matchAll(/!\[[^\]]+\]\(\.\.\/([^)]+)\)/g))
      expect(existsSync(join(ROOT, 'docs', image as string)), image).toBe(true)
  }
})
