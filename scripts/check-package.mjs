// Checks the packages as a user gets them: packed, and installed into a folder that knows nothing else of us.
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import ts from 'typescript'
import { createReport } from './support/report.mjs'
import { mustRun, run } from './support/run.mjs'
import { createTempFolder } from './support/temp.mjs'
import { checkPrograms } from './support/type-programs.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ATTW = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js')
const CONSUMER = fileURLToPath(new URL('consumer', import.meta.url))
const COMPILERS = ['typescript5', 'typescript7']

// An import that leaves something running, such as a timer or a socket, keeps its process alive.
const IMPORT_TIMEOUT = 30_000
const OFFENDERS_SHOWN = 10

const report = createReport()
const folder = createTempFolder()

/** With `--built`, what is built already is packed: `prepack` would build anew what others read. */
const PACK = ['pack', ...(process.argv.includes('--built') ? ['--ignore-scripts'] : [])]

/** What is published. The first one is alula itself. */
const packages = ['.', 'packages/alula-testing', 'packages/alula-migrate', 'packages/create-alula'].map(
  (path) => readPackage(join(ROOT, path))
)
const [alula] = packages
const entries = packages.flatMap(({ entries }) => entries)

/** Entries that are of no use without a package of somebody else’s, which they import at once. */
const REQUIRED_PEERS = new Map([
  ['alula/koa', 'koa'],
  ['alula/kysely', 'kysely'],
  ['alula/otel', '@opentelemetry/api']
])

/** Entries whose types are those of a package of somebody else’s: nobody uses them without it. */
const TYPED_PEERS = new Map([...REQUIRED_PEERS, ['alula/socketio', 'socket.io'], ['alula/sync', 'redis']])

/** Programs that need a package which an entry loads when the application starts. */
const LOADED_PEERS = {
  redis: `
    import { alula } from 'alula'
    import { sync } from 'alula/sync'

    const app = alula().configure(sync({ redis: 'redis://localhost' }))
  `,
  'socket.io': `
    import { alula } from 'alula'
    import { socketio } from 'alula/socketio'

    const app = { setup: () => alula().configure(socketio()).listen(0) }
  `,
  'rate-limiter-flexible': `
    import { RedisLoginBudgetStore } from 'alula/sync'

    const app = { setup: () => new RedisLoginBudgetStore({ redis: 'redis://localhost' }).connect() }
  `,
  jose: `
    import { alula } from 'alula'
    import { AuthenticationService, JWTStrategy } from 'alula/authentication'

    const app = alula()

    app.set('authentication', {
      secret: 'a secret that is long enough for the algorithm',
      entity: null,
      authStrategies: ['jwt'],
      jwt: { issuers: [{ issuer: 'https://a.example', jwks: 'https://a.example/jwks', audience: 'a' }] }
    })

    const authentication = new AuthenticationService(app)

    authentication.register('jwt', new JWTStrategy())
    app.use('authentication', authentication)
  `,
  'openid-client': `
    import { alula } from 'alula'
    import { AuthenticationService } from 'alula/authentication'
    import { memory } from 'alula/memory'
    import { OAuthStrategy, oauth } from 'alula/oauth'

    const app = alula()

    app.set('authentication', {
      secret: 'a secret that is long enough for the algorithm',
      service: 'users',
      entity: 'user',
      authStrategies: ['jwt'],
      oauth: { origins: ['http://localhost:3030'], github: { key: 'key', secret: 'secret' } }
    })

    const authentication = new AuthenticationService(app)

    authentication.register('github', new OAuthStrategy())
    app.use('users', memory())
    app.use('authentication', authentication)
    app.configure(oauth())
  `
}

await checkPackages()
report.finish()

async function checkPackages() {
  const consumer = join(folder, 'consumer')

  for (const one of packages) {
    if (!(await checkTarball(one))) return
  }

  const isInstalled = await report.check('the tarballs install into an empty folder', async () => {
    cpSync(CONSUMER, consumer, { recursive: true })
    // Compiled with the rest of the consumer, so that an entry is checked from the day on which it is added.
    writeEntries(join(consumer, 'entries.ts'), entries)
    writeEntries(
      join(consumer, 'alone/entries.ts'),
      entries.filter((entry) => !TYPED_PEERS.has(entry))
    )
    writeFileSync(join(consumer, 'typed.ts'), readTypedProgram())
    await install(
      consumer,
      packages.map(({ tarball }) => tarball)
    )
  })

  if (!isInstalled) return

  await report.check('code and types import only what package.json declares', () => {
    for (const one of packages) checkImports(one, join(consumer, 'node_modules', one.manifest.name))
  })

  for (const entry of entries) {
    const peer = REQUIRED_PEERS.get(entry)

    if (peer === undefined) {
      await report.check(`import and require of '${entry}'`, () => checkEntry(entry, consumer))
    } else {
      await report.check(`'${entry}' without '${peer}' says what is missing`, () =>
        checkMissing(peer, `await import(${JSON.stringify(entry)})`, consumer)
      )
    }
  }

  for (const [peer, program] of Object.entries(LOADED_PEERS)) {
    await report.check(`an application without '${peer}' says what is missing`, () =>
      checkMissing(peer, `${program}\nawait app.setup()`, consumer)
    )
  }

  for (const { manifest } of packages) {
    for (const [name, file] of Object.entries(manifest.bin ?? {})) {
      await report.check(`the command '${name}' runs`, () => checkCommand(name, file, manifest, consumer))
    }
  }

  for (const compiler of COMPILERS) {
    await report.check(`types without the optional peers, with ${compiler}`, async () => {
      await compile(compiler, 'alone', consumer)
    })
  }

  // Behind the imports, which need none of them; the types of some entries are theirs.
  await report.check('the optional peers install', async () => {
    const peers = Object.entries(alula.manifest.peerDependencies)
      .filter(([name]) => !name.startsWith('@types/'))
      .map(([name, range]) => `${name}@${range}`)

    await install(consumer, peers)
  })

  for (const entry of REQUIRED_PEERS.keys()) {
    await report.check(`import and require of '${entry}'`, () => checkEntry(entry, consumer))
  }

  for (const compiler of COMPILERS) {
    const { version } = readJson(join(consumer, 'node_modules', compiler, 'package.json'))

    await report.check(`a strict consumer compiles with TypeScript ${version}`, async () => {
      await compile(compiler, '.', consumer)
      await compile(compiler, 'browser', consumer)
    })
    await report.check(`programs that must compile, or must not, with TypeScript ${version}`, async () => {
      const tsc = join(consumer, 'node_modules', compiler, 'bin/tsc')
      const faults = await checkPrograms(tsc, join(consumer, 'programs'))

      if (faults.length > 0) throw new Error(faults.join('\n'))
    })
  }

  await report.check('the compiled consumer runs', async () => {
    for (const file of ['out/index.js', 'out/required.cjs']) await mustNode([file], consumer)
  })
}

/** Packs a package. Returns whether it can be installed. */
async function checkTarball({ path, manifest, tarball }) {
  const { name } = manifest
  const isPacked = await report.check(`npm pack of ${name}`, async () => {
    await mustRun('npm', [...PACK, '--pack-destination', folder], { cwd: path })
  })

  if (!isPacked) return false

  await report.check(`the tarball of ${name} holds what a user needs and nothing else`, () =>
    checkFiles(tarball, path, manifest)
  )
  await report.check(`publint of ${name}`, () => checkWithPublint(tarball))
  await report.check(`attw of ${name}`, async () => {
    await mustRun(process.execPath, [ATTW, tarball, '--profile', 'esm-only', '--no-definitely-typed'])
  })

  return true
}

async function install(consumer, packages) {
  await mustRun('npm', ['install', '--no-audit', '--no-fund', '--prefix', consumer, ...packages], {
    cwd: consumer
  })
}

async function checkFiles(tarball, path, manifest) {
  const files = (await mustRun('tar', ['-tzf', tarball]))
    .trim()
    .split('\n')
    .map((file) => file.slice('package/'.length))

  const isBuilt = new Set(
    listFiles(join(path, 'src')).flatMap((source) => {
      const stem = `dist/${source.replace(/\.ts$/, '')}`

      // No maps: they were more than half of the package, and what is built reads like its source.
      return [`${stem}.js`, `${stem}.d.ts`]
    })
  )
  const isDocument = new Set(['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'])
  const isGuide = (file) =>
    /^docs\/((decisions|recipes|tutorial)\/)?[^/]+\.md$|^docs\/images\/[^/]+\.svg$/.test(file)
  // Of alula: what its entries share.
  const isChunk = (file) => file.startsWith('dist/chunks/')
  // Of create-alula: what applications are made of.
  const isTemplate = (file) => file.startsWith('dist/templates/')
  const unexpected = files.filter(
    (file) =>
      !isDocument.has(file) && !isBuilt.has(file) && !isChunk(file) && !isGuide(file) && !isTemplate(file)
  )
  const missing = ['README.md', 'LICENSE', ...manifest.files].filter(
    (pattern) => !files.some((file) => isMatch(file, pattern))
  )

  const installing = ['preinstall', 'install', 'postinstall', 'prepare'].filter(
    (script) => script in (manifest.scripts ?? {})
  )

  failOn(installing, 'is a script that runs where the package is installed')
  failOn(
    unexpected,
    'must not be in the tarball; a file of dist without a source is left from an older build'
  )
  failOn(missing, 'must be in the tarball')
  failOn(
    files
      .filter((file) => file.endsWith('.md') && !isTemplate(file))
      .flatMap((file) => listDeadLinks(path, file, files)),
    'is a link to a file that is not in the tarball'
  )

  return `${files.length} files, ${statSync(tarball).size} bytes`
}

/** The links of a document to files that a package does not have, except screenshots, which would be a fifth of it. */
function listDeadLinks(path, file, files) {
  const text = readFileSync(join(path, file), 'utf8').replace(/```[\s\S]*?```|!\[.*?\]\([^)]*\.webp\)/g, '')

  return [...text.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)]
    .filter(([, link]) => !files.some((known) => isMatch(known, join(dirname(file), link))))
    .map(([, link]) => `${file}: ${link}`)
}

/** Whether an entry of `files` in package.json means a file: its name, a folder, or `*` for what a folder holds. */
function isMatch(file, pattern) {
  const [before, after] = pattern.split('*')

  return after === undefined
    ? file === pattern || file.startsWith(`${pattern}/`)
    : file.startsWith(before) && file.endsWith(after)
}

async function checkWithPublint(tarball) {
  const bytes = readFileSync(tarball)
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
    strict: true
  })

  failOn(messages.map((message) => formatMessage(message, pkg, { color: false })))
}

/** What is only there because npm puts all packages into one folder is missing with pnpm. */
function checkImports({ manifest }, installed) {
  const declared = new Set([
    manifest.name,
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {})
  ])

  // Templates import what the application declares that is made of them.
  const undeclared = listFiles(installed)
    .filter((file) => /\.[jt]s$/.test(file) && !file.startsWith(join('dist', 'templates')))
    .flatMap((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(installed, file), 'utf8'))
      const packages = importedFiles
        .filter(({ fileName }) => !/^[.#]/.test(fileName) && !isBuiltin(fileName))
        .map(({ fileName }) => /^(?:@[^/]+\/)?[^/]+/.exec(fileName)[0])

      return [...new Set(packages)]
        .filter((name) => !declared.has(name))
        .map((name) => `${file} imports '${name}'`)
    })

  failOn(undeclared, 'which is neither a dependency nor a peer dependency')
}

async function checkEntry(entry, cwd) {
  const print = (namespace) => `process.stdout.write(JSON.stringify(Object.keys(${namespace}).sort()))`
  const specifier = JSON.stringify(entry)

  const imported = await mustNode(['--input-type=module', '--eval', print(`await import(${specifier})`)], cwd)
  const required = await mustNode(
    [
      '--disable-warning=ExperimentalWarning',
      '--input-type=commonjs',
      '--eval',
      print(`require(${specifier})`)
    ],
    cwd
  )
  const names = JSON.parse(imported)
  // Node adds this one when a module with a default export is required.
  const requiredNames = JSON.parse(required).filter((name) => name !== '__esModule')

  if (names.length === 0) throw new Error('It exports nothing')
  if (names.join() !== requiredNames.join()) {
    throw new Error(`import() gives ${names.join(', ')}, require() gives ${requiredNames.join(', ')}`)
  }

  return `${names.length} exports`
}

async function checkCommand(name, file, manifest, cwd) {
  const version = await mustRun(join(cwd, 'node_modules/.bin', name), ['--version'], { cwd })

  if (version.trim() !== manifest.version) throw new Error(`${file} --version says ${version}`)
}

async function checkMissing(peer, program, cwd) {
  const { output } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    cwd,
    timeout: IMPORT_TIMEOUT
  })

  if (!output.includes(`'${peer}'`)) throw new Error(`It says: ${output}`)
}

async function compile(compiler, project, cwd) {
  await mustRun(process.execPath, [`node_modules/${compiler}/bin/tsc`, '-p', project], { cwd })
}

function writeEntries(file, entries) {
  writeFileSync(file, entries.map((entry, index) => `export * as entry${index} from '${entry}'\n`).join(''))
}

function mustNode(args, cwd) {
  return mustRun(process.execPath, args, { cwd, timeout: IMPORT_TIMEOUT })
}

function failOn(offenders, sentence) {
  if (offenders.length === 0) return

  const shown = offenders
    .slice(0, OFFENDERS_SHOWN)
    .map((offender) => (sentence ? `${offender} ${sentence}` : offender))
  const hidden = offenders.length - shown.length

  throw new Error([...shown, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join('\n'))
}

/** The files of a folder and of all folders in it, relative to it. */
function listFiles(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => relative(root, join(item.parentPath, item.name)))
}

function readPackage(path) {
  const manifest = readJson(join(path, 'package.json'))

  return {
    path,
    manifest,
    tarball: join(folder, `${manifest.name}-${manifest.version}.tgz`),
    entries: Object.keys(manifest.exports)
      .filter((key) => key !== './package.json')
      .map((key) => manifest.name + key.slice(1))
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** The program of the README with types, which is the first of the guide to TypeScript. */
function readTypedProgram() {
  const [, program] =
    /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/typescript.md'), 'utf8')) ?? []

  if (!program?.includes('requireText')) throw new Error('docs/typescript.md does not begin with a program')

  return program
}
