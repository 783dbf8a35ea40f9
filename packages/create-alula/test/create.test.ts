import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createFolder, runNode } from '../../../test/support/command.ts'
import { readPage, readSection } from '../../../test/support/page.ts'
import manifest from '../package.json' with { type: 'json' }
import { composeFiles } from '../src/compose.ts'

/** Built before the tests. The templates are beside it. */
const COMMAND = fileURLToPath(new URL('../dist/cli.js', import.meta.url))

const create = (cwd: string, ...args: string[]) => runNode([COMMAND, ...args], { cwd })

const compose = (choices: Partial<Parameters<typeof composeFiles>[0]> = {}) =>
  composeFiles(
    { name: 'notes', template: 'api', database: 'sqlite', language: 'typescript', ...choices },
    { version: '1.2.3' }
  )

it('without a terminal nothing is asked: it makes an API with SQLite, and says so', async () => {
  const folder = createFolder()
  const { code, stdout } = await create(folder, 'notes', '--no-install')

  expect(code).toBe(0)
  expect(stdout).toContain('template   api')
  expect(stdout).toContain('database   SQLite')
  expect(stdout).toContain('http://localhost:3030/api/docs')
  expect(stdout).toContain('ada@example.com / correct horse')
  expect(existsSync(join(folder, 'notes/src/app.ts'))).toBe(true)
})

it.each([
  [['--template', 'nest'], "--template expects api, react, express, and got 'nest'."],
  [['--database', 'toString'], "--database expects sqlite, postgresql, memory, and got 'toString'."],
  [['Notes App'], "The name 'Notes App' is not possible"],
  [['a', 'b'], "One name at a time, and not 'b' as well."],
  [['--force'], "Unknown option '--force'"]
])('%j says what is wrong, and makes nothing', async (args, sentence) => {
  const folder = createFolder()
  const { code, stderr } = await create(folder, ...args, '--no-install')

  expect(code).toBe(1)
  expect(stderr).toContain(sentence)
  expect(stderr).toContain('Usage: npm create alula')
  expect(existsSync(join(folder, 'my-app'))).toBe(false)
})

it('a folder that is not empty stays as it is', async () => {
  const folder = createFolder({ 'notes/mine.txt': 'mine' })
  const { code, stderr } = await create(folder, 'notes', '--no-install')

  expect(code).toBe(1)
  expect(stderr).toContain('is not empty')
  expect(existsSync(join(folder, 'notes/package.json'))).toBe(false)
})

it('an Express application keeps its own settings, and no file of it is overwritten', async () => {
  const own = { name: 'site', scripts: { test: 'mocha' }, dependencies: { express: '^4.22.0' } }
  const folder = createFolder({ 'package.json': JSON.stringify(own), '.env': 'SECRET=mine' })
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')

  expect((await create(folder, '--template', 'express', '--no-install')).code).toBe(0)

  const { name, scripts, dependencies } = JSON.parse(read('package.json'))

  expect([name, scripts.test, dependencies.express]).toEqual(['site', 'mocha', '^4.22.0'])
  expect(scripts['api:test']).toBe('vitest run --config vitest.api.config.mts')
  expect(read('.env').match(/^[A-Z_]+=/gm)).toEqual(['SECRET=', 'API_DATABASE_URL='])
  expect(read('.env')).toContain('SECRET=mine\n')

  const { code, stderr } = await create(folder, '--template', 'express', '--no-install')

  expect(code).toBe(1)
  expect(stderr).toContain('already. Nothing was written.')
})

it('each application has another secret, which is long enough, and never in what is committed', () => {
  const [one, other] = [compose(), compose()].map(
    (files) => /^SECRET=(.{64})$/m.exec(files.get('.env') ?? '')?.[1]
  )

  expect(one).toBeDefined()
  expect(other).not.toBe(one)
  expect(compose().get('.env.example')).toMatch(/^SECRET=$/m)
  expect(compose().get('.gitignore')).toMatch(/^\.env$/m)
  expect(compose().get('.dockerignore')).toMatch(/^\.env$/m)
})

it('the packages of alula have the version of the command, and the name is everywhere', () => {
  const files = compose()
  const { name, dependencies, devDependencies } = JSON.parse(files.get('package.json') ?? '')

  expect([name, dependencies.alula, devDependencies['alula-testing']]).toEqual(['notes', '^1.2.3', '^1.2.3'])
  expect([...files.values()].join('\n')).not.toContain('my-app')
})

it('JavaScript has no file and no name of TypeScript', () => {
  for (const template of ['api', 'react', 'express'] as const) {
    for (const [path, content] of compose({ template, language: 'javascript' })) {
      expect(path).not.toMatch(/\.tsx?$|tsconfig/)
      expect(content, path).not.toMatch(/\w\.tsx?['"`]|@types\//)
    }
  }
})

it('the script that watches the server has its package, in both languages', () => {
  for (const language of ['typescript', 'javascript'] as const) {
    for (const [template, name] of [
      ['api', 'dev'],
      ['react', 'dev:api']
    ] as const) {
      const { scripts, devDependencies } = JSON.parse(
        compose({ template, language }).get('package.json') ?? ''
      )

      expect(scripts[name]).toMatch(/^tsx watch .*src\/server\.[jt]s$/)
      expect(devDependencies).toHaveProperty('tsx')
    }
  }
})

it.each(['sqlite', 'postgresql', 'memory'] as const)(
  'with %s nothing of another database is there',
  (database) => {
    const text = [...compose({ database })]
      .filter(([path]) => path !== '.gitignore' && path !== '.dockerignore')
      .join('\n')
    const words = { sqlite: /libsql/, postgresql: /'pg'/, memory: /alula\/memory/ }

    for (const [name, word] of Object.entries(words)) expect(word.test(text)).toBe(name === database)
  }
)

it('the script lint writes what can be corrected, and CI only checks', () => {
  const files = compose()

  expect(JSON.parse(files.get('package.json') ?? '').scripts.lint).toBe('biome check --write')
  expect(files.get('.github/workflows/ci.yml')).toContain('- run: npx biome ci\n')
  expect(files.get('.github/workflows/ci.yml')).not.toContain('npm run lint')
})

it('the pages speak of what the application has, and of nothing else', () => {
  for (const template of ['api', 'react', 'express'] as const) {
    for (const database of ['sqlite', 'postgresql', 'memory'] as const) {
      for (const language of ['typescript', 'javascript'] as const) {
        const files = compose({ template, database, language })
        const { scripts } = JSON.parse(files.get('package.json') ?? '')
        const text = [...files]
          .flatMap(([path, content]) => (path.endsWith('.md') ? [content] : []))
          .join('\n')
        const called = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name as string)
        const what = `${template} ${database} ${language}`

        expect(
          called.filter((name) => !(name in scripts)),
          what
        ).toEqual([])
        expect(text, what).not.toContain('<!--')
        expect(/migrat/.test(text), what).toBe(database !== 'memory')
        expect(/AccessRule|typed</.test(text), what).toBe(language === 'typescript')
        expect(/useLive/.test(text), what).toBe(template === 'react')
      }
    }
  }
})

it('the package says where the command is', () => {
  expect(manifest.bin).toEqual({ 'create-alula': 'dist/cli.js' })
})

it.each(['sqlite', 'memory'] as const)(
  'the guide lists all files with the sample service, %s',
  async (database) => {
    const section = readSection(await readPage('create'), 'Remove the sample service')
    const files = compose({ name: 'shop', template: 'react', database })
    const withSample = [...files]
      .filter(([path, text]) => `${path}\n${text}`.includes('notes'))
      .map(([path]) => path)

    expect(withSample.length).toBeGreaterThan(8)
    expect(
      withSample.filter((path) => !section.includes(path.replace(/^src\/notes\/.*/, 'src/notes')))
    ).toEqual([])
  }
)
