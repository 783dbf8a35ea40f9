// Makes applications with `npm create alula` from packed packages, and installs, checks, starts and calls each. It needs a
// build, the registry of npm, Chromium for React and, for some of them, PostgreSQL at POSTGRES_URL. With --two, a seed
// chooses two of them; names of further arguments choose those.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDatabase } from './support/create-database.mjs'
import { createReport } from './support/report.mjs'
import { mustRun } from './support/run.mjs'
import { createTempFolder } from './support/temp.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGES = ['.', 'packages/alula-testing', 'packages/create-alula']

/** Template, database and language: each pair of two choices is among them. */
const COMBINATIONS = [
  ['api', 'sqlite', 'typescript'],
  ['api', 'sqlite', 'javascript'],
  ['api', 'postgresql', 'javascript'],
  ['api', 'memory', 'typescript'],
  ['react', 'sqlite', 'javascript'],
  ['react', 'postgresql', 'typescript'],
  ['react', 'memory', 'typescript'],
  ['express', 'sqlite', 'typescript'],
  ['express', 'postgresql', 'typescript'],
  ['express', 'memory', 'javascript']
]

/** How long a server may take to start, and to start again, in milliseconds. */
const START_TIMEOUT = 60_000

/** An application that exists before: the two lines with `api` are those that the command says. */
const EXPRESS = (extension) => `import express from 'express'
import { mountApi } from './api/mount.${extension}'

const site = express()

await mountApi(site)
site.use(express.json())
site.post('/echo', (request, response) => {
  response.json(request.body)
})
site.listen(Number(process.env.PORT), () => console.log('The API is at /api'))
`

const report = createReport()
const folder = createTempFolder()

await report.check('npm pack', async () => {
  for (const path of PACKAGES) {
    const args = ['pack', '--ignore-scripts', '--pack-destination', folder]

    await mustRun('npm', args, { cwd: join(ROOT, path) })
  }
})
for (const [template, database, language] of choose()) await tryCombination({ template, database, language })
report.finish()

function choose() {
  const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))

  if (names.length > 0) return COMBINATIONS.filter((choices) => names.includes(choices.join('-')))
  if (!process.argv.includes('--two')) return COMBINATIONS

  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  const first = seed % COMBINATIONS.length
  // Another one: the distance is between 1 and one less than there are.
  const distance = 1 + (Math.floor(seed / COMBINATIONS.length) % (COMBINATIONS.length - 1))

  console.log(`the applications of the seed ${seed}`)

  return [COMBINATIONS[first], COMBINATIONS[(first + distance) % COMBINATIONS.length]]
}

async function tryCombination(choices) {
  const name = `${choices.template}-${choices.database}-${choices.language}`
  const cwd = join(folder, name)
  const port = await findPort()
  const store = choices.database === 'postgresql' ? await createDatabase(name) : undefined
  const env = { PORT: String(port), ...(store && { DATABASE_URL: store.url }) }
  const npm = (...args) => mustRun('npm', args, { cwd, env })
  const prefix = choices.template === 'express' ? 'api:' : ''
  const scripts = () => JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')).scripts

  const isMade = await report.check(`${name}: is made and installed`, async () => {
    const start = performance.now()

    await make(cwd, name, choices)

    return `${Math.round((performance.now() - start) / 1000)} s`
  })

  if (isMade) {
    await report.check(`${name}: exposure.json is the table of access`, () => {
      const [file] = ['src/app.ts', 'src/app.js', 'api/app.ts', 'api/app.js'].filter((path) =>
        existsSync(join(cwd, path))
      )

      return mustRun('npx', ['alula', 'audit', file, '--check', 'exposure.json'], { cwd, env }).then(() => {})
    })
    await report.check(`${name}: has a further service`, () =>
      mustRun('npx', ['alula', 'generate', 'service', 'order-lines'], { cwd }).then(() => {})
    )
    for (const script of ['lint', 'types', 'build', 'test'].map((script) => prefix + script)) {
      if (!(script in scripts())) continue

      // The table of access has the further service.
      const args = script.endsWith('test') ? ['--', '-u'] : []

      await report.check(`${name}: npm run ${script}`, () => npm('run', script, ...args).then(() => {}))
    }
    if (store) {
      await report.check(`${name}: migrates and seeds`, async () => {
        await npm('run', `${prefix}migrate`)
        await npm('run', `${prefix}seed`)
      })
    }
    if (choices.template === 'express')
      await report.check(`${name}: serves logged-in calls`, () => tryExpress(cwd, env, choices))
    else {
      await report.check(`${name}: npm run dev serves logged-in calls, and restarts`, () =>
        tryDev(cwd, env, choices)
      )
      await report.check(`${name}: npm start serves in production`, () => tryStart(cwd, env, choices))
    }
  }

  await store?.drop()
}

async function make(cwd, name, { template, database, language }) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const isAdded = template === 'express'

  if (isAdded) {
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'package.json'), `${JSON.stringify({ name, private: true, type: 'module' })}\n`)
    writeFileSync(join(cwd, `app.${toExtension(language)}`), EXPRESS(toExtension(language)))
  }

  const flags = ['--template', template, '--database', database, '--packages', folder]
  const args = [...(isAdded ? [] : [name]), ...flags, ...(language === 'javascript' ? ['--js'] : [])]
  const tarball = join(folder, `create-alula-${version}.tgz`)

  await mustRun('npm', ['exec', '--yes', `--package=${tarball}`, '--', 'create-alula', ...args], {
    cwd: isAdded ? cwd : folder
  })
}

function toExtension(language) {
  return language === 'javascript' ? 'js' : 'ts'
}

async function tryDev(cwd, env, { template, language }) {
  const server = start(['npm', 'run', template === 'react' ? 'dev:api' : 'dev'], cwd, env)

  try {
    await server.printed('/api/docs')
    await call(env.PORT)

    // A change of a file starts it again.
    const file = join(cwd, `src/health.${toExtension(language)}`)

    writeFileSync(file, readFileSync(file, 'utf8').replace("status: 'ok'", "status: 'live'"))
    await server.printed('/api/docs', 2)
    await until(async () => {
      const response = await fetch(`http://localhost:${env.PORT}/live`)

      return (await response.json()).status === 'live'
    })
  } finally {
    await server.stop()
  }
}

async function tryStart(cwd, env, { database }) {
  const server = start(['npm', 'start'], cwd, {
    ...env,
    NODE_ENV: 'production',
    npm_config_script_shell: 'bash'
  })

  try {
    await server.printed('The API is at')
    for (const path of ['live', 'ready']) await expectStatus(`http://localhost:${env.PORT}/${path}`, 200)
    await expectStatus(`http://localhost:${env.PORT}/api/docs`, 404)
    await expectStatus(`http://localhost:${env.PORT}/api/notes`, 401)
    // The demo user of the memory is for development alone.
    if (database !== 'memory') await call(env.PORT)
  } finally {
    await server.stop()
  }
}

async function tryExpress(cwd, env, { language }) {
  const isTyped = language === 'typescript'
  const loader = isTyped && !process.features.typescript ? ['--import', 'tsx'] : []
  const server = start(['node', ...loader, `app.${toExtension(language)}`], cwd, env)

  try {
    await server.printed('The API is at')
    await call(env.PORT)
    await expectStatus(`http://localhost:${env.PORT}/echo`, 200, { json: { a: 1 } })
  } finally {
    await server.stop()
  }
}

/** Logs in as the demo user, and sends a note that is valid and one that is not. */
async function call(port) {
  const url = `http://localhost:${port}/api`
  const login = { strategy: 'local', email: 'ada@example.com', password: 'correct horse' }
  const { accessToken } = await expectStatus(`${url}/authentication`, 201, { json: login })
  const note = await expectStatus(`${url}/notes`, 201, { json: { text: ' Call Bob ' }, accessToken })
  const fault = await expectStatus(`${url}/notes`, 400, { json: { text: '' }, accessToken })

  if (note.text !== 'Call Bob' || note.done !== false) throw new Error(`The note is ${JSON.stringify(note)}`)
  if (!fault.errors?.text) throw new Error(`The fault is ${JSON.stringify(fault)}`)
}

async function expectStatus(url, status, { json, accessToken } = {}) {
  const response = await fetch(url, {
    ...(json && { method: 'POST', body: JSON.stringify(json) }),
    headers: {
      'Content-Type': 'application/json',
      ...(accessToken && { Authorization: `Bearer ${accessToken}` })
    }
  })
  const body = await response.text()

  if (response.status !== status) throw new Error(`${url} responded with ${response.status}: ${body}`)

  return body.startsWith('{') ? JSON.parse(body) : body
}

/** Starts a program in a process group of its own. */
function start([command, ...args], cwd, env) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  let check = () => {}

  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      check()
    })
  }

  const closed = new Promise((resolve) => child.once('close', resolve))

  return {
    printed: (text, times = 1) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`'${text}' was not printed: ${output}`)),
          START_TIMEOUT
        )

        check = () => {
          if (output.split(text).length <= times) return

          clearTimeout(timer)
          resolve()
        }
        closed.then(() => reject(new Error(`It ended: ${output}`)))
        check()
      }),
    async stop() {
      try {
        process.kill(-child.pid, 'SIGTERM')
      } catch {
        // It has ended.
      }
      await closed
    }
  }
}

async function until(check) {
  const end = performance.now() + START_TIMEOUT

  while (!(await check().catch(() => false))) {
    if (performance.now() > end) throw new Error('It did not become true')
  }
}

/** A port that is free now. */
function findPort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address()

      server.close(() => resolve(port))
    })
  })
}
