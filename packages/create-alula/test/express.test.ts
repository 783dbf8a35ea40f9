import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createFolder, runNode } from '../../../test/support/command.ts'
import { composeFiles } from '../src/compose.ts'
import { renderNextSteps } from '../src/report.ts'
import { writeFiles } from '../src/write.ts'

const COMMAND = fileURLToPath(new URL('../dist/cli.js', import.meta.url))

const compose = (choices: Partial<Parameters<typeof composeFiles>[0]> = {}) =>
  composeFiles(
    { name: 'site', template: 'express', database: 'sqlite', language: 'typescript', ...choices },
    { version: '1.2.3' }
  )

/** Adds the API to a site with some files. Returns a function that reads a file. */
function addTo(files: { readonly [path: string]: string }): (path: string) => string {
  const folder = createFolder({ 'package.json': '{}', ...files })

  writeFiles(folder, compose(), { isAdded: true })

  return (path) => readFileSync(join(folder, path), 'utf8')
}

it.each([
  'export SECRET=theirs',
  '  export  SECRET=theirs',
  'SECRET = theirs',
  '\tSECRET="theirs" # signs cookies',
  '\uFEFFSECRET=theirs',
  'SECRET: theirs',
  'SECRET=theirs\r\nNAME=site\r'
])('%j of the site is its secret, and stays the only one', (line) => {
  const text = addTo({ '.env': `${line}\n` })('.env')

  expect(text.match(/SECRET/g)).toEqual(['SECRET'])
  expect(text.startsWith(`${line}\n`)).toBe(true)
  // The comment of the secret is left out as well.
  expect(text).not.toContain('# Signs access tokens')
})

it.each(['# SECRET=old', 'OTHER_SECRET=theirs', 'NAME=export SECRET=theirs'])(
  '%j sets no secret: a new one is added',
  (line) => {
    expect(addTo({ '.env': line })('.env')).toMatch(
      new RegExp(`^${line}\n(.*\n)*# Signs access tokens.*\nSECRET=.{64}\n$`)
    )
  }
)

it('lines that are added end as those of the file', () => {
  const read = addTo({ '.env': 'NAME=site\r\n', '.gitignore': 'node_modules\r\n.env' })

  expect(read('.env').match(/(?<!\r)\n/)).toBeNull()
  expect(read('.gitignore')).toBe(
    'node_modules\r\n.env\n*.db\n*.db-shm\n*.db-wal\n'.replace(/(?<!\r)\n/g, '\r\n')
  )
})

it.each(['sqlite', 'postgresql'] as const)('with %s the API has a database of its own', (database) => {
  const folder = createFolder({ 'package.json': '{}', '.env': 'DATABASE_URL=shop.db\n' })
  const files = compose({ database })

  writeFiles(folder, files, { isAdded: true })

  const text = readFileSync(join(folder, '.env'), 'utf8')

  expect(text.match(/^DATABASE_URL=.*/gm)).toEqual(['DATABASE_URL=shop.db'])
  expect(text).toMatch(
    database === 'sqlite' ? /^API_DATABASE_URL=api\/app\.db$/m : /^API_DATABASE_URL=postgres/m
  )
  for (const [path, content] of files) expect(content, path).not.toMatch(/(?<!API_)DATABASE_URL/)
})

it.each([
  ['sqlite', true, []],
  ['sqlite', false, ['npm install', 'npm run api:migrate', 'npm run api:seed']],
  ['postgresql', true, ['npm run api:migrate', 'npm run api:seed']],
  ['postgresql', false, ['npm install', 'npm run api:migrate', 'npm run api:seed']],
  ['memory', false, ['npm install']]
] as const)(
  'the next steps with %s, installed: %j, are those that are left',
  (database, isInstalled, steps) => {
    const choices = { name: 'site', template: 'express', database, language: 'typescript' } as const
    const text = renderNextSteps(choices, { written: [], isInstalled })

    expect(text.match(/npm (install|run [a-z:]+)/g) ?? []).toEqual(steps)
  }
)

it.each(['typescript', 'javascript'] as const)(
  'in %s the file for its tests is a module, also where the site is CommonJS',
  (language) => {
    const files = compose({ language })
    const { scripts } = JSON.parse(files.get('package.json') ?? '')
    const file = `vitest.api.config.${language === 'typescript' ? 'mts' : 'mjs'}`

    expect(files.has(file)).toBe(true)
    expect(scripts['api:test']).toBe(`vitest run --config ${file}`)
    if (language === 'typescript') {
      expect(JSON.parse(files.get('tsconfig.api.json') ?? '').include).toEqual(['api', file])
    }
  }
)

it('packages of the site that are too old for the API are named before they are installed', async () => {
  const dependencies = { zod: '^3.22.0', express: '^4.22.0', kysely: '^0.28.0' }
  const devDependencies = { vitest: '~4.0.1', typescript: 'latest', '@types/node': '>=18' }
  const folder = createFolder({ 'package.json': JSON.stringify({ dependencies, devDependencies }) })
  const { code, stdout } = await runNode([COMMAND, '--template', 'express', '--no-install'], { cwd: folder })
  const lines = stdout.split('\n').filter((line) => line.includes(', and the API is made for '))

  expect(code).toBe(0)
  expect(lines.map((line) => line.trim())).toEqual([
    expect.stringMatching(/^zod \^3\.22\.0, and the API is made for \^4\./),
    expect.stringMatching(/^vitest ~4\.0\.1, and the API is made for \^4\./)
  ])
})

it.each([
  ['My Site', 'my-site'],
  ['.Shop_2 (neu)', 'shop_2-neu'],
  ['日本', 'my-app'],
  ['a'.repeat(120), 'a'.repeat(100)]
])('in the folder %j the API has the title %s', async (name, title) => {
  const folder = join(createFolder({ [`${name}/package.json`]: '{}' }), name)

  const { code, stdout } = await runNode([COMMAND, '--template', 'express', '--no-install'], { cwd: folder })

  expect(code).toBe(0)
  expect(stdout).toContain(`name       ${title}\n`)
  expect(readFileSync(join(folder, 'api/app.ts'), 'utf8')).toContain(`title: '${title}'`)
})

it('a package.json with a byte order mark is read, as npm does', () => {
  const read = addTo({ 'package.json': '\uFEFF{"name":"site"}' })

  expect(JSON.parse(read('package.json'))).toMatchObject({ name: 'site', dependencies: expect.any(Object) })
})
