// Makes applications with `npm create alula` from packed packages, and installs, checks, starts and calls each. It needs a
// build, the registry of npm, Chromium for React and, for some of them, PostgreSQL at POSTGRES_URL. Two run at a time. With
// --one, a seed chooses one of them; names of further arguments choose those.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
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

const CHROMIUM = '/usr/bin/chromium'

const USER = { email: 'ada@example.com', password: 'correct horse' }

/** How long a server may take to start, and to start again, in milliseconds. */
const START_TIMEOUT = 60_000

/** What npm has cached is used without asking the registry whether there is something newer. */
const NPM = { npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' }

/** How many applications are tried at the same time: much of it is waiting. */
const LANES = 2

/** An application that exists before, by the `type` of its package: the lines with `api` are those that the command says. */
const SITES = {
  module: (extension) => `import express from 'express'
import { mountApi } from './api/mount.${extension}'

const site = express()

await mountApi(site)
${SITE}`,
  commonjs: (extension) => `const express = require('express')
const { mountApi } = require('./api/mount.${extension}')

const site = express()

mountApi(site).then(() => {
${SITE}})
`
}

const SITE = `site.use(express.json())
site.post('/echo', (request, response) => {
  response.json(request.body)
})
site.listen(Number(process.env.PORT), () => console.log('The API is at /api'))
`

const report = createReport()
/** One in each whole check: what only the full tests have time for is left out. */
const isShort = process.argv.includes('--one')
const folder = createTempFolder()

await timed('npm pack', () =>
  Promise.all(
    PACKAGES.map((path) =>
      mustRun('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: join(ROOT, path) })
    )
  )
)

const waiting = choose().values()

await Promise.all(Array.from({ length: LANES }, tryCombinations))
report.finish()

/** Takes the next combination until there is none. */
async function tryCombinations() {
  for (const [template, database, language] of waiting) await tryCombination({ template, database, language })
}

function choose() {
  const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))

  if (names.length > 0) return COMBINATIONS.filter((choices) => names.includes(choices.join('-')))
  if (!isShort) return COMBINATIONS

  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

  console.log(`the application of the seed ${seed}`)

  return [COMBINATIONS[seed % COMBINATIONS.length]]
}

async function tryCombination(choices) {
  const name = `${choices.template}-${choices.database}-${choices.language}`
  const cwd = join(folder, name)
  const port = await findPort()
  const store = choices.database === 'postgresql' ? await createDatabase(name) : undefined
  const env = { ...NPM, PORT: String(port), ...(store && toDatabase(choices, store)) }
  const npm = (...args) => mustRun('npm', args, { cwd, env })
  const prefix = choices.template === 'express' ? 'api:' : ''
  const scripts = () => JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')).scripts
  const check = (sentence, act) => timed(`${name}: ${sentence}`, act)

  const start = performance.now()
  const isMade = await check('is made and installed', () => make(cwd, name, choices))
  const making = performance.now() - start

  if (isMade) {
    await check('exposure.json is the table of access', async () => {
      const [file] = ['src/app.ts', 'src/app.js', 'api/app.ts', 'api/app.js'].filter((path) =>
        existsSync(join(cwd, path))
      )

      const printed = await mustRun('npx', ['alula', 'audit', file], { cwd, env })

      // As the test of the application compares it.
      if (printed !== readFileSync(join(cwd, 'exposure.json'), 'utf8')) {
        throw new Error(`exposure.json is not what 'alula audit' prints:\n${printed}`)
      }
    })
    // The script 'lint' would write what the templates have wrong.
    if ('lint' in scripts() && !isShort)
      await check('npx biome ci', () => mustRun('npx', ['biome', 'ci'], { cwd, env }))
    // The check of a further service runs the others again, with all that was there before: but it writes exposure.json anew.
    for (const script of (isShort ? ['build'] : ['types', 'build', 'test']).map((name) => prefix + name)) {
      if (script in scripts()) await check(`npm run ${script}`, () => npm('run', script))
    }
    await check('has a further service', async () => {
      await mustRun('npx', ['alula', 'generate', 'service', 'order-lines'], { cwd })
      // The table of access has it too.
      await npm('run', `${prefix}test`, '--', '-u')
      if ('lint' in scripts()) await mustRun('npx', ['biome', 'ci'], { cwd, env })
      if (`${prefix}types` in scripts()) await npm('run', `${prefix}types`)
    })
    if (store) {
      await check('migrates and seeds', async () => {
        await npm('run', `${prefix}migrate`)
        await npm('run', `${prefix}seed`)
      })
    }
    if (choices.template === 'express')
      await check('serves logged-in calls', async () => making + (await tryExpress(cwd, env, choices)))
    else {
      await check(
        'npm run dev serves logged-in calls, and restarts',
        async () => making + (await tryDev(cwd, env, choices))
      )
      await check('npm start serves in production', () => tryStart(cwd, env, choices))
    }
    // Last: it removes the packages for development.
    if (choices.template !== 'express' && !isShort) {
      await check('runs as in its container', () => tryContainer(cwd, name, env, choices))
    }
  }

  await store?.drop()
}

/**
 * Checks something, and says how long it took.
 *
 * @param {string} sentence
 * @param {() => Promise<unknown>} act A number that it returns is the time to the first call, in milliseconds
 */
function timed(sentence, act) {
  return report.check(sentence, async () => {
    const start = performance.now()
    const firstCall = await act()
    const duration = `${toSeconds(performance.now() - start)} s`

    if (typeof firstCall !== 'number') return duration

    // Printed and not checked: other programs take a share of the machine.
    return `${duration}; ${toSeconds(firstCall)} s from an empty folder to the first logged-in call`
  })
}

function toSeconds(duration) {
  return Math.round(duration / 1000)
}

/** In an application that exists, `DATABASE_URL` may be another database. */
function toDatabase({ template }, { url }) {
  return template === 'express' ? { DATABASE_URL: 'none', API_DATABASE_URL: url } : { DATABASE_URL: url }
}

async function make(cwd, name, { template, database, language }) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const isAdded = template === 'express'

  if (isAdded) {
    mkdirSync(cwd)

    const type = database === 'sqlite' ? 'commonjs' : 'module'

    writeFileSync(join(cwd, 'package.json'), `${JSON.stringify({ name, private: true, type })}\n`)
    writeFileSync(join(cwd, `app.${toExtension(language)}`), SITES[type](toExtension(language)))
  }

  const flags = ['--template', template, '--database', database, '--packages', folder]
  const args = [...(isAdded ? [] : [name]), ...flags, ...(language === 'javascript' ? ['--js'] : [])]
  const tarball = join(folder, `create-alula-${version}.tgz`)

  await mustRun('npm', ['exec', '--yes', `--package=${tarball}`, '--', 'create-alula', ...args], {
    cwd: isAdded ? cwd : folder,
    env: NPM
  })
}

function toExtension(language) {
  return language === 'javascript' ? 'js' : 'ts'
}

/** Returns how long it took to start it and to call it, in milliseconds. */
async function tryDev(cwd, env, { template, language }) {
  const began = performance.now()
  const server = start(['npm', 'run', template === 'react' ? 'dev:api' : 'dev'], cwd, env)

  try {
    await server.printed('/api/docs')
    await call(env.PORT)

    const duration = performance.now() - began

    if (template === 'react') await tryPage(env.PORT)

    // A change of a file starts it again, also when a new file takes its place, as Git and many editors do it.
    const file = join(cwd, `src/health.${toExtension(language)}`)
    const content = readFileSync(file, 'utf8')

    for (const [index, status] of ['first', 'second', 'third'].entries()) {
      writeFileSync(`${file}~`, content.replace("status: 'ok'", `status: '${status}'`))
      renameSync(`${file}~`, file)
      await server.printed('/api/docs', index + 2)
      await until(async () => {
        const response = await fetch(`http://localhost:${env.PORT}/live`)

        return (await response.json()).status === status
      })
    }

    return duration
  } finally {
    await server.stop()
  }
}

function tryStart(cwd, env, choices) {
  return tryServer(['npm', 'start'], cwd, { ...env, npm_config_script_shell: 'bash' }, choices)
}

/** Starts a server in production, and calls it. */
async function tryServer(command, cwd, env, { database }) {
  const server = start(command, cwd, { ...env, NODE_ENV: 'production' })

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

/** Logs in on the page that was built, and sees a note that another client creates. */
async function tryPage(port) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })

  try {
    const page = await browser.newPage()
    const errors = []

    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(`http://localhost:${port}`)
    await page.getByLabel('Email').fill(USER.email)
    await page.getByLabel('Password').fill(USER.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Call Bob').waitFor()
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('Too small').waitFor()
    await call(port, 'From elsewhere')
    await page.getByText('From elsewhere').waitFor()
    if (errors.length > 0) throw new Error(errors.join('\n'))
  } finally {
    await browser.close()
  }
}

/** Does what the Dockerfile does, in folders in place of images: it needs no Docker. */
async function tryContainer(cwd, name, env, choices) {
  const image = join(folder, `${name}-image`)
  const [file] = readFileSync(join(cwd, 'Dockerfile'), 'utf8').match(/\w+\/server\.js/)

  await mustRun('npm', ['ci', '--no-audit', '--no-fund'], { cwd })
  for (const command of readFileSync(join(cwd, 'Dockerfile'), 'utf8').matchAll(/^RUN (npm (?!ci).+)$/gm)) {
    await mustRun('sh', ['-ec', command[1]], { cwd })
  }
  for (const path of file.startsWith('dist') ? ['package.json', 'node_modules', 'dist'] : ['.']) {
    cpSync(join(cwd, path), join(image, path), { recursive: true, verbatimSymlinks: true })
  }
  await tryServer(['node', file], image, { ...readEnv(cwd), ...env, HOST: '0.0.0.0' }, choices)
}

/** The variables of `.env`, which no image has. */
function readEnv(cwd) {
  return Object.fromEntries(
    [...readFileSync(join(cwd, '.env'), 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      name === 'DATABASE_URL' && !value.includes(':') ? join(cwd, value) : value
    ])
  )
}

/** Returns how long it took to start it and to call it, in milliseconds. */
async function tryExpress(cwd, env, { language }) {
  const began = performance.now()
  const isTyped = language === 'typescript'
  const loader = isTyped && !process.features.typescript ? ['--import', 'tsx'] : []
  const server = start(['node', ...loader, `app.${toExtension(language)}`], cwd, env)

  try {
    await server.printed('The API is at')
    await call(env.PORT)

    const duration = performance.now() - began

    await expectStatus(`http://localhost:${env.PORT}/echo`, 200, { json: { a: 1 } })

    return duration
  } finally {
    await server.stop()
  }
}

/** Logs in as the demo user, and sends a note that is valid and one that is not. */
async function call(port, text = 'Call Bob') {
  const url = `http://localhost:${port}/api`
  const login = { strategy: 'local', ...USER }
  const { accessToken } = await expectStatus(`${url}/authentication`, 201, { json: login })
  const note = await expectStatus(`${url}/notes`, 201, { json: { text: ` ${text} ` }, accessToken })
  const fault = await expectStatus(`${url}/notes`, 400, { json: { text: '' }, accessToken })

  if (note.text !== text || note.done !== false) throw new Error(`The note is ${JSON.stringify(note)}`)
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
