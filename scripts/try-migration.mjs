// Moves real applications from Feathers v5: made by its official generator, tested, migrated, and tested again. It needs
// a build, the registry of npm and, for two of them, PostgreSQL at POSTGRES_URL. With --one, a seed chooses one of them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDatabase } from './support/create-database.mjs'
import { createReport } from './support/report.mjs'
import { mustRun, run } from './support/run.mjs'
import { createTempFolder } from './support/temp.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const QUIET = ['--no-audit', '--no-fund']

/** Runs generators one after another in the current folder, with answers instead of questions. */
const GENERATE = `import { commandRunner } from '@feathersjs/cli'

for (const [name, answers] of JSON.parse(process.argv[2])) {
  await commandRunner(name)({ cwd: process.cwd(), ...answers })
}
`

const APPLICATIONS = [
  [
    'typescript-sqlite',
    { language: 'ts', framework: 'express', database: 'sqlite', strategies: ['local', 'github'] }
  ],
  [
    'javascript-postgresql',
    { language: 'js', framework: 'express', database: 'postgresql', strategies: ['local'] }
  ],
  [
    'typescript-postgresql',
    { language: 'ts', framework: 'koa', database: 'postgresql', strategies: ['local'] }
  ]
]

const report = createReport()
const folder = createTempFolder()

await report.check('the official generator installs', installGenerator)
await report.check('npm pack', async () => {
  for (const cwd of [ROOT, join(ROOT, 'packages/alula-migrate')]) {
    await mustRun('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd })
  }
})
for (const [name, answers] of choose()) await tryApplication(name, answers)
report.finish()

function choose() {
  if (!process.argv.includes('--one')) return APPLICATIONS

  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

  console.log(`the application of the seed ${seed}`)

  return [APPLICATIONS[seed % APPLICATIONS.length]]
}

async function installGenerator() {
  const generator = join(folder, 'generator')

  mkdirSync(generator)
  writeFileSync(join(generator, 'package.json'), '{ "private": true }\n')
  writeFileSync(join(generator, 'generate.mjs'), GENERATE)
  await mustRun('npm', ['install', ...QUIET, '@feathersjs/cli@5'], { cwd: generator })

  return readJson(join(generator, 'node_modules/@feathersjs/cli/package.json')).version
}

async function tryApplication(name, { language, framework, database, strategies }) {
  const cwd = join(folder, name)
  const isTyped = language === 'ts'
  const store = database === 'postgresql' ? await createDatabase(name) : { url: `${name}.sqlite` }

  const isMade = await report.check(`${name}: is generated`, async () => {
    mkdirSync(cwd)
    await generate(cwd, { name, language, framework, database, strategies, connectionString: store.url })
    if (!isTyped) completeClient(cwd)
    // A machine that does other things as well takes longer than two seconds for a test.
    writeFileSync(join(cwd, '.mocharc.json'), '{ "timeout": 60000 }\n')
  })

  if (isMade) {
    await report.check(`${name}: passes its tests on Feathers v5`, () => test(cwd))
    await report.check(`${name}: no manual changes`, () => migrate(cwd))
    if (isTyped) {
      await report.check(`${name}: compiles`, async () => {
        await mustRun('npm', ['run', 'compile'], { cwd })
      })
    }
    await report.check(`${name}: passes its tests on alula`, () => test(cwd))
  }

  await store.drop?.()
}

async function generate(cwd, { name, language, framework, database, strategies, connectionString }) {
  const service = { type: 'knex', schema: 'typebox' }
  const generators = [
    [
      'app',
      {
        name,
        language,
        database,
        connectionString,
        description: name,
        framework,
        transports: ['rest', 'websockets'],
        packager: 'npm',
        client: true,
        schema: 'typebox'
      }
    ],
    ['authentication', { ...service, authStrategies: strategies, service: 'user', path: 'users' }],
    ['service', { ...service, name: 'message', path: 'messages', authentication: true }],
    ['service', { name: 'note', path: 'notes', type: 'custom', schema: 'typebox', authentication: false }]
  ]

  await mustRun(process.execPath, [join(folder, 'generator/generate.mjs'), JSON.stringify(generators)], {
    cwd
  })
}

/** The generator loses imports of the client in JavaScript: with any recent TypeScript it takes them for types. */
function completeClient(cwd) {
  const file = join(cwd, 'src/client.js')
  const source = readFileSync(file, 'utf8')
  const missing = [
    ['userClient', 'users'],
    ['messageClient', 'messages'],
    ['noteClient', 'notes']
  ]
    .filter(([name]) => !new RegExp(`import .*${name}`).test(source))
    .map(([name, path]) => `import { ${name} } from './services/${path}/${path}.shared.js'\n`)

  writeFileSync(file, missing.join('') + source)
}

async function migrate(cwd) {
  const { version } = readJson(join(ROOT, 'package.json'))
  const [alula, tool] = ['alula', 'alula-migrate'].map((name) => join(folder, `${name}-${version}.tgz`))
  const command = ['--yes', `--package=${tool}`, 'alula-migrate']
  const { left } = JSON.parse(await mustRun('npx', [...command, '--check'], { cwd }))
  const output = await mustRun('npx', command, { cwd })

  if (left.length > 0) throw new Error(output)
  // As if this version were in the registry.
  await mustRun('npm', ['install', ...QUIET, alula], { cwd })

  return output.trim().split('\n').at(-1)
}

async function test(cwd) {
  const { code, output } = await run('npm', ['test'], { cwd })
  const [passed] = /\d+ passing/.exec(output) ?? []

  if (code !== 0 || passed === undefined) throw new Error(output)

  return passed
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
