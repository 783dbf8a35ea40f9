import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../../../test/support/command.ts'
import manifest from '../package.json' with { type: 'json' }
import { type MigrationOptions, migrateFolder } from '../src/migrate.ts'
import { renderReport } from '../src/report.ts'

const IMPORT = `import { feathers } from '@feathersjs/feathers'\n`
const MOVED = `import { feathers } from 'alula'\n`
const GUIDE = '  node_modules/alula/docs/migrating.md'
const PACKAGE = toManifest({ '@feathersjs/feathers': '^5.0.0' })

it('the report lists changes by line, then what needs a human, then how many there are', () => {
  const folder = createFolder({
    'b.js': `const e = require('@feathersjs/express')\ne(a)\n\nrequire('@feathersjs/koa/lib/a')\ne.cors()\n`,
    'a/b.js': IMPORT,
    'a.js': `${IMPORT}import '@feathersjs/other'\n`
  })

  expect(migrate(folder)).toBe(`a.js:1  @feathersjs/feathers → alula
a/b.js:1  @feathersjs/feathers → alula
b.js:1  @feathersjs/express → alula/express
b.js:2  e() → e.express()

Needs manual changes:
a.js:2  '@feathersjs/other': no counterpart of it is known
${GUIDE}#manual-changes
b.js:4  '@feathersjs/koa/lib/a': only @feathersjs/koa has a counterpart, not the modules in it
${GUIDE}#manual-changes
b.js:5  'cors' comes from 'cors' now
${GUIDE}#names
package.json:1  is not in this folder: list 'alula' in that of the package, or run alula-migrate where it is
${GUIDE}#manual-changes

4 changes in 3 files, 4 places need manual changes. Next: npm install, then your tests.
`)
})

it.each([
  [{ 'a.js': '' }, 'Nothing to do: no imports of Feathers v5 that alula replaces.'],
  [{ 'a.js': `import '@feathersjs/other'` }, '0 changes in 0 files, 1 place needs manual changes.'],
  [
    { 'a.js': IMPORT },
    '1 change in 1 file, 1 place needs manual changes. Next: npm install, then your tests.'
  ]
])('%j ends with %j', (files, summary) => {
  expect(migrate(createFolder(files)).trim().split('\n').at(-1)).toBe(summary)
})

it('a second time there is nothing to do, and no file is touched', () => {
  const folder = createFolder({ 'a.mjs': IMPORT, 'package.json': PACKAGE })

  migrate(folder)

  const before = snapshot(folder)

  expect(migrate(folder)).toBe('Nothing to do: no imports of Feathers v5 that alula replaces.\n')
  expect(snapshot(folder)).toEqual(before)
})

it('a dry run says the same and changes nothing', () => {
  const folder = createFolder({ 'a.mjs': IMPORT, 'package.json': PACKAGE })
  const before = snapshot(folder)
  const dry = migrate(folder, { dryRun: true })

  expect(snapshot(folder)).toEqual(before)
  expect(dry).toContain('. Nothing was written (--dry-run).\n')
  expect(migrate(folder).replace(/\. [^.]*\.\n$/, '.')).toBe(dry.replace(/\. [^.]*\.\n$/, '.'))
  expect(snapshot(folder)).not.toEqual(before)
})

it('only JavaScript and TypeScript is rewritten, in every spelling', () => {
  const extensions = ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx']
  const folder = createFolder({
    ...Object.fromEntries(extensions.map((extension) => [`src/${extension}.${extension}`, IMPORT])),
    'src/a.md': IMPORT,
    'src/a.txt': IMPORT
  })

  migrate(folder)

  for (const extension of extensions) expect(read(folder, `src/${extension}.${extension}`)).toBe(MOVED)
  expect(read(folder, 'src/a.md')).toBe(IMPORT)
  expect(read(folder, 'src/a.txt')).toBe(IMPORT)
})

it.each([
  ...['js', 'mjs', 'cjs', 'jsx', 'tsx'].map((extension) => [extension, 'an element']),
  ...['ts', 'mts', 'cts'].map((extension) => [extension, 'a type and a comparison'])
])('in .%s a bracket begins %s', (extension, meaning) => {
  const source = `a = <b>require('@feathersjs/errors')</b>/`
  const folder = createFolder({ [`a.${extension}`]: source })

  migrate(folder)

  expect(read(folder, `a.${extension}`)).toBe(
    meaning === 'an element' ? source : source.replace('@feathersjs/errors', 'alula/errors')
  )
})

it.each([
  'node_modules/a/a.js',
  'deep/node_modules/a.js',
  'dist/a.js',
  'build/a.js',
  'coverage/a.js',
  '.hidden/a.js',
  '.a.js',
  'lib/a.js',
  'deep/lib/a.js',
  'spaces/a.js',
  'made/by/tool/a.js',
  'made/here/a.js',
  'root/a.js'
])('%s is hidden, installed, built or ignored, and left alone', (path) => {
  const ignored = '# made\r\nlib/\r\n  spaces\t\r\n!keep\n*.log\n/made/by\nmade/here/\n/root/\n'
  const folder = createFolder({ [path]: IMPORT, '.gitignore': ignored })

  expect(migrate(folder)).toContain('Nothing to do')
  expect(read(folder, path)).toBe(IMPORT)
})

it.each([
  'keep/a.js',
  'made/a.js',
  'deep/made/by/a.js',
  'deep/root/a.js',
  '# made/a.js',
  'a[b]/a.js',
  'c?/a.js'
])('%s is not ignored by Git, or only by a pattern, and rewritten', (path) => {
  const folder = createFolder({
    [path]: IMPORT,
    '.gitignore': '# made\n!keep\na[b]\nc?\n/made/by\n/root\n'
  })

  migrate(folder)

  expect(read(folder, path)).toBe(MOVED)
})

it('the folder itself may be called like one that is left alone', () => {
  const folder = join(createFolder({ 'dist/a.js': IMPORT }), 'dist')

  migrate(folder)

  expect(read(folder, 'a.js')).toBe(MOVED)
})

it('links are not followed', () => {
  const outside = createFolder({ 'a.js': IMPORT, 'b/a.js': IMPORT })
  const folder = createFolder()

  symlinkSync(join(outside, 'a.js'), join(folder, 'a.js'))
  symlinkSync(join(outside, 'b'), join(folder, 'b'))

  expect(migrate(folder)).toContain('Nothing to do')
  expect(read(outside, 'a.js')).toBe(IMPORT)
  expect(read(outside, 'b/a.js')).toBe(IMPORT)
})

it('components and other encodings need a human', () => {
  const folder = createFolder({
    'z.ts': toUtf16(IMPORT),
    'b.js': `${IMPORT}}`,
    'a/b.svelte': `<script>import '@feathersjs/schema'; import a from "@feathersjs/errors"</script>`,
    'a.vue': `<script>\n${IMPORT}</script>`,
    'c.vue': `<p>@feathersjs/feathers</p><script>import '@feathersjs/schema'</script>`,
    'd.js': `import 'uuid'\n}`,
    'package.json': toUtf16(PACKAGE)
  })

  expect(migrate(folder)).toBe(`Needs manual changes:
a.vue:1  the imports of its script are left to you
${GUIDE}#manual-changes
a/b.svelte:1  the imports of its script are left to you
${GUIDE}#manual-changes
b.js:1  cannot be parsed, and stays as it is: Unexpected token (2:0)
${GUIDE}#manual-changes
z.ts:1  is not UTF-8, and stays as it is
${GUIDE}#manual-changes
package.json:1  is not UTF-8, and stays as it is
${GUIDE}#manual-changes

0 changes in 0 files, 5 places need manual changes.
`)
  expect(readFileSync(join(folder, 'z.ts'))).toEqual(toUtf16(IMPORT))
})

it('packages below are moved with the project, each by its package.json', () => {
  const folder = createFolder({
    'package.json': '{ "workspaces": ["packages/*"] }',
    'packages/e/package.json': PACKAGE,
    'packages/e/e.js': IMPORT,
    'packages/f/package.json': '{ "name": "feathersjs" }',
    'packages/f/f.js': 'f()'
  })

  expect(migrate(folder)).toBe(`packages/e/e.js:1  @feathersjs/feathers → alula
packages/e/package.json:2  dependencies: + alula@^${manifest.version}
packages/e/package.json:3  dependencies: − @feathersjs/feathers

3 changes in 2 files, 0 places need manual changes. Next: npm install, then your tests.
`)
})

it.each<[{ [path: string]: string }, string]>([
  [{ 'a.ts': IMPORT, 'a.js': IMPORT }, 'a.js'],
  [{ 'tsconfig.json': '{ "compilerOptions": { "outDir": "./made/" } }', 'made/a.js': IMPORT }, 'made/a.js'],
  [{ 'package.json': '{ "main": "lib/" }', 'src/index.ts': IMPORT, 'lib/index.js': IMPORT }, 'lib/index.js'],
  [{ 'package.json': '{ "main": "lib/a.js" }', 'src/a.ts': IMPORT, 'lib/b/c.js': IMPORT }, 'lib/b/c.js'],
  [{ 'package.json': '{ "main": "lib/src/a" }', 'src/a.ts': IMPORT, 'lib/src/a.js': IMPORT }, 'lib/src/a.js']
])('what was compiled from a source is left alone: %j', (files, compiled) => {
  const folder = createFolder(files)

  migrate(folder)

  expect(read(folder, compiled)).toBe(IMPORT)
})

it.each<{ [path: string]: string }>([
  { 'package.json': '{ "main": "src/" }', 'src/index.js': IMPORT },
  { 'package.json': '{ "main": "lib/" }', 'lib/index.js': IMPORT },
  { 'package.json': '{ "main": "index.js" }', 'index.js': IMPORT },
  { 'tsconfig.json': '{ "compilerOptions": { "outDir": "." } }', 'a.js': IMPORT },
  { 'tsconfig.json': '{ "compilerOptions": { "outDir": "server" } }', 'server/a.ts': IMPORT }
])('%j has no compiled folder', (files) => {
  expect(migrate(createFolder(files))).toContain('@feathersjs/feathers → alula')
})

it('a pre-release of v5 is refused before a file is written', () => {
  const folder = createFolder({
    'a.js': IMPORT,
    'package.json': toManifest({ '@feathersjs/feathers': '^5.0.0-pre.32' })
  })

  expect(() => migrate(folder)).toThrow(
    'package.json lists @feathersjs/feathers ^5.0.0-pre.32, a pre-release of Feathers v5, whose names are others. ' +
      'Set its packages to ^5.0.0, let your tests pass, and run alula-migrate again.'
  )
  expect(read(folder, 'a.js')).toBe(IMPORT)
})

it('a provider without a preset in the configuration needs a human, or gets its issuer', () => {
  const oauth = {
    redirect: '/',
    github: { key: 'a' },
    auth0: { key: 'a', subdomain: 'tenant.eu' },
    twitter: { key: 'a' }
  }
  const folder = createFolder({
    'a.js': IMPORT,
    'package.json': PACKAGE,
    'config/default.json': JSON.stringify({ authentication: { oauth } }, null, 2)
  })

  expect(migrate(folder)).toContain(`config/default.json:8  auth0: + issuer https://tenant.eu.auth0.com/`)
  expect(JSON.parse(read(folder, 'config/default.json')).authentication.oauth.auth0).toEqual({
    issuer: 'https://tenant.eu.auth0.com/',
    key: 'a',
    subdomain: 'tenant.eu'
  })
  expect(migrate(folder)).toContain(
    "config/default.json:13  no preset 'twitter': set 'issuer', or 'authorize_url', 'access_url' and 'profile_url'"
  )
})

it.each([
  ['package-lock.json', '{ "packages": { "node_modules/@types/node": { "version": "16.1.0" } } }'],
  ['package-lock.json', '{ "dependencies": { "@types/node": { "version": "16.1.0" } } }'],
  ['yarn.lock', '"@types/node@*", "@types/node@^16.0.0":\n  version "16.1.0"\n'],
  ['yarn.lock', '"@types/node@npm:*":\n  version: 16.1.0\n'],
  ['pnpm-lock.yaml', "packages:\n\n  '@types/node@16.1.0':\n"],
  ['pnpm-lock.yaml', 'packages:\n\n  /@types/node/16.1.0:\n'],
  ['../package-lock.json', '{ "packages": { "node_modules/@types/node": { "version": "16.1.0" } } }']
])('the version of %s counts: %s', (path, lock) => {
  const root = createFolder({
    'a/a.ts': IMPORT,
    'a/package.json': PACKAGE,
    [join('a', path)]: lock
  })

  migrate(join(root, 'a'))

  expect(JSON.parse(read(root, 'a/package.json')).devDependencies).toEqual({ '@types/node': '^20.19.0' })
})

it('options of files that are extended are known, also those of packages', () => {
  const folder = createFolder({
    'a.ts': IMPORT,
    'package.json': PACKAGE,
    'tsconfig.json': '{ "extends": ["./base", "@company/base"] }',
    'base.json': '{ "extends": "./lower.json", "compilerOptions": {} }',
    'lower.json': '{ "compilerOptions": { "module": "CommonJS" } }',
    'node_modules/@company/base/tsconfig.json': '{ "compilerOptions": { "skipLibCheck": true } }'
  })

  migrate(folder)

  expect(JSON.parse(read(folder, 'tsconfig.json')).compilerOptions).toEqual({ module: 'nodenext' })
})

it('a file keeps its mode and its byte order mark', () => {
  const folder = createFolder({ 'a.js': `\uFEFF${IMPORT}`, 'package.json': `\uFEFF${PACKAGE}` })

  chmodSync(join(folder, 'a.js'), 0o777)
  migrate(folder)

  expect(read(folder, 'a.js')).toBe(`\uFEFF${MOVED}`)
  expect(statSync(join(folder, 'a.js')).mode & 0o777).toBe(0o777)
  expect(read(folder, 'package.json')).toBe(`\uFEFF${toManifest({ alula: `^${manifest.version}` })}`)
  expect(readdirSync(folder)).toEqual(['a.js', 'package.json'])
})

it('a file that stands where the new text is written first stays as it is', () => {
  const outside = createFolder({ 'a.txt': 'a' })
  const folder = createFolder({ 'a.js': IMPORT })

  symlinkSync(join(outside, 'a.txt'), join(folder, `.a.js.${process.pid}.tmp`))

  expect(() => migrate(folder)).toThrow('EEXIST')
  expect(read(outside, 'a.txt')).toBe('a')
  expect(read(folder, 'a.js')).toBe(IMPORT)
})

it('what cannot be read is thrown before the first file is written', () => {
  const folder = createFolder({ 'a.js': IMPORT, 'package.json/a.txt': '' })

  expect(() => migrate(folder)).toThrow('EISDIR')
  expect(read(folder, 'a.js')).toBe(IMPORT)
})

it('a package that came with one that goes is listed, also where another file imports it', () => {
  const folder = createFolder({ 'a.js': IMPORT, 'b.js': `import 'cors'`, 'package.json': PACKAGE })

  migrate(folder)

  expect(JSON.parse(read(folder, 'package.json')).dependencies).toEqual({
    alula: `^${manifest.version}`,
    cors: '^2.8.5'
  })
})

it.each([
  [{ express: '5', typescript: '6' }, {}, false],
  [{ express: '5' }, { 'b.ts': '' }, true],
  [{ express: '5' }, { 'tsconfig.json': '{}' }, true],
  [{ express: '5' }, {}, false]
])('with %j and %j, types are listed: %j', (dependencies, files, isTyped) => {
  const folder = createFolder({
    ...files,
    'a.js': `import '@feathersjs/express'`,
    'package.json': toManifest({ ...dependencies, '@feathersjs/express': '5' })
  })

  migrate(folder)

  expect(read(folder, 'package.json').includes('@types/express')).toBe(isTyped)
})

it.each([
  ['feathers-hooks-common', true],
  ['@feathersjs/knex', true],
  ['@feathersjs/cli', false],
  ['@feathersjs/generators', false],
  ['@feathersjs/hooks', false],
  ['@feathersjs/errors', false],
  ['my-feathers-', false]
])('with %s, the types of packages that stay are those of alula: %j', (name, hasPaths) => {
  const folder = createFolder({
    'a.ts': IMPORT,
    'package.json': toManifest({ [name]: '5' }),
    'tsconfig.json': '{ "compilerOptions": { "module": "nodenext" } }'
  })

  migrate(folder)

  expect(read(folder, 'tsconfig.json').includes('"paths"')).toBe(hasPaths)
})

it('a package that stays has the types of alula also where it is only imported', () => {
  const folder = createFolder({
    'a.ts': `${IMPORT}import '@feathersjs/schema'`,
    'package.json': PACKAGE,
    'tsconfig.json': '{ "compilerOptions": { "module": "nodenext" } }'
  })

  migrate(folder)

  expect(read(folder, 'tsconfig.json')).toContain('"paths"')
})

it('compiler options follow the type of the package, and stay where alula is not imported', () => {
  const options = '{ "compilerOptions": { "module": "node16", "skipLibCheck": true } }'
  const rewriteOptions = (type: string, source: string) => {
    const folder = createFolder({
      'a.ts': source,
      'package.json': JSON.stringify({ type }),
      'tsconfig.json': options
    })

    migrate(folder)

    return read(folder, 'tsconfig.json')
  }

  expect(rewriteOptions('module', IMPORT)).toBe(options)
  expect(JSON.parse(rewriteOptions('commonjs', IMPORT)).compilerOptions.module).toBe('nodenext')
  expect(rewriteOptions('commonjs', `import '@feathersjs/schema'`)).toBe(options)
})

/** Migrates, and returns the report. */
function migrate(folder: string, options?: MigrationOptions): string {
  return renderReport(migrateFolder(folder, options), options?.dryRun ?? false)
}

function toManifest(dependencies: { readonly [name: string]: string }): string {
  return `${JSON.stringify({ dependencies }, null, 2)}\n`
}

function toUtf16(text: string): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
}

function read(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8')
}

/** The content and the time of every file. */
function snapshot(folder: string): object {
  return Object.fromEntries(
    readdirSync(folder).map((path) => [path, [read(folder, path), statSync(join(folder, path)).mtimeMs]])
  )
}
