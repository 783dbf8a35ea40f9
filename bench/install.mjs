// What it takes to have a small application: a download, room on the disk, and the time until it answers.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { inFolder, install, packAlula, pickVersions } from './installation.mjs'
import { divide, formatSpread, printTable, runRounds, scaleRounds, toPath } from './lib.mjs'

const START_ROUNDS = 15

const KILOBYTE = 1e3
const MEGABYTE = 1e6

const ALULA = 'alula'

const toFeathers = (...names) => pickVersions(names.map((name) => `@feathersjs/${name}`))

/** The same small application: the file, and what it imports. */
const QUICKSTARTS = {
  [ALULA]: { file: 'quickstarts/alula.mjs' },
  'Feathers v5': {
    file: 'quickstarts/feathers.mjs',
    dependencies: toFeathers('feathers', 'express', 'memory', 'errors')
  },
  'Fastify 5 by hand': { file: 'quickstarts/fastify.mjs', dependencies: pickVersions(['fastify', 'qs']) }
}

/** The same with logins, by a password and by a token. In alula they are there already. */
const WITH_LOGINS = {
  'Feathers v5, with logins': toFeathers(
    'feathers',
    'express',
    'memory',
    'errors',
    'authentication',
    'authentication-local'
  ),
  'Fastify 5 by hand, with logins': pickVersions(['fastify', 'qs', 'jsonwebtoken', 'bcryptjs']),
  'Express 5 by hand, with logins': pickVersions(['express', 'jsonwebtoken', 'bcryptjs'])
}

/** Everybody answers it alike. */
const PATH = '/messages?author=Ada&$sort[createdAt]=-1&$limit=1&$select[]=text'
const ANSWER = { total: 2, limit: 1, skip: 0, data: [{ id: 3, text: 'Any news?' }] }

await inFolder(async (folder) => {
  const tarball = await packAlula(folder)

  printTable(
    'The tarball of alula',
    ['kB', 'files', 'kB unpacked'],
    [[toKilobytes(tarball.size), String(tarball.files), toKilobytes(tarball.unpackedSize)]]
  )

  const programs = await installAll(folder, tarball.file).catch(({ message }) => {
    const [reason] = /^npm error .*/m.exec(message) ?? [message]

    console.log(`\nnpm did not install the packages, so the rest is left out: ${reason}`)
  })

  if (programs) await compareStarts(programs)
})

/** Installs all applications and prints what that took. Returns the programs by name. */
async function installAll(folder, tarball) {
  const programs = {}
  const rows = []

  for (const [name, { file, dependencies = { alula: `file:${tarball}` } }] of Object.entries(QUICKSTARTS)) {
    const home = join(folder, String(rows.length))

    await mkdir(home)
    rows.push([name, await install(home, dependencies)])
    programs[name] = join(home, 'app.mjs')
    await copyFile(toPath(file), programs[name])
  }

  for (const [name, dependencies] of Object.entries(WITH_LOGINS)) {
    rows.push([name, await inFolder((home) => install(home, dependencies))])
  }

  printTable(
    'Installed for production',
    ['application', 'packages', 'MB'],
    rows.map(([name, { packages, bytes }]) => [name, String(packages), (bytes / MEGABYTE).toFixed(1)])
  )

  return programs
}

async function compareStarts(programs) {
  const results = await runRounds(Object.keys(programs), scaleRounds(START_ROUNDS), (name) =>
    measureStart(programs[name])
  )

  printTable(
    'From the start of `node` to the first answer, ms',
    ['application', 'time', `÷ ${ALULA}`],
    [...results].map(([name, times]) => [
      name,
      formatSpread(times, 0),
      formatSpread(divide(times, results.get(ALULA)), 2)
    ])
  )
}

async function measureStart(program) {
  const start = performance.now()
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, PORT: '0', NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const exit = once(child, 'exit')

  try {
    const url = await readUrl(child, exit)
    const answer = await read(url + PATH)
    const time = performance.now() - start

    assert.deepEqual(answer, ANSWER)

    return time
  } finally {
    child.kill()
    await exit
  }
}

/** Every program prints where it listens. */
async function readUrl(child, exit) {
  let printed = ''

  for await (const chunk of child.stdout.setEncoding('utf8')) {
    printed += chunk

    const [url] = /http:\/\/localhost:\d+\b/.exec(printed) ?? []

    if (url !== undefined) return url
  }

  throw new Error(`It ended with ${await exit} before it listened:\n${printed}`)
}

async function read(url) {
  const [response] = await once(get(url, { agent: false }), 'response')

  return json(response)
}

function toKilobytes(bytes) {
  return (bytes / KILOBYTE).toFixed(0)
}
