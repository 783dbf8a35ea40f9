import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../../../test/support/command.ts'
import manifest from '../package.json' with { type: 'json' }
import { migrateFolder } from '../src/migrate.ts'

const IMPORT = `import { feathers } from '@feathersjs/feathers'\n`
const API = JSON.stringify({ dependencies: { '@feathersjs/feathers': '5', '@feathersjs/schema': '5' } })

it('TypeScript of the root is new enough for the packages below, and the root does not get alula', () => {
  const root = createFolder({
    'package.json': '{ "devDependencies": { "typescript": "~5.4.5", "@types/node": "^18.0.0" } }',
    'apps/api/package.json': API,
    'apps/api/a.ts': IMPORT
  })

  migrateFolder(root)

  expect(readJson(root, 'package.json')).toEqual({
    devDependencies: { typescript: '^5.9.3', '@types/node': '^20.19.0' }
  })
  expect(readJson(root, 'apps/api/package.json').dependencies.alula).toBe(`^${manifest.version}`)
  expect(migrateFolder(root).flatMap(({ changes }) => changes)).toEqual([])
})

it('TypeScript of the root stays where no package below is moved, and where none is TypeScript', () => {
  const list = '{ "devDependencies": { "typescript": "~5.4.5" } }'
  const plain = createFolder({ 'package.json': list, 'api/package.json': API, 'api/a.js': IMPORT })
  const other = createFolder({ 'package.json': list, 'api/package.json': API, 'api/a.ts': 'a()' })

  for (const root of [plain, other]) {
    migrateFolder(root)
    expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe(list)
  }
})

it('what the root ignores by its name is left alone in packages below, also when one of them is moved alone', () => {
  const create = () =>
    createFolder({
      '.git/HEAD': '',
      '.gitignore': 'made\n/api/here\n',
      'api/package.json': API,
      'api/made/a.js': IMPORT,
      'api/here/a.js': IMPORT,
      'api/a.js': IMPORT
    })

  for (const path of ['', 'api']) {
    const root = create()

    migrateFolder(join(root, path))
    for (const path of ['api/made/a.js', 'api/here/a.js'])
      expect(readFileSync(join(root, path), 'utf8')).toBe(IMPORT)
    expect(readFileSync(join(root, 'api/a.js'), 'utf8')).not.toBe(IMPORT)
  }
})

it('what is ignored around the repository is not', () => {
  const outside = createFolder({
    '.gitignore': 'src\n',
    'repository/.git/HEAD': '',
    'repository/src/a.js': IMPORT
  })

  migrateFolder(join(outside, 'repository'))

  expect(readFileSync(join(outside, 'repository/src/a.js'), 'utf8')).not.toBe(IMPORT)
})

it.each([
  // Without a base, paths begin at the folder of the file that has them.
  [{ '@lib/*': ['./libs/*/src'] }, undefined, { '@lib/*': ['../../libs/*/src'] }, './node_modules/'],
  [{ '@lib/*': ['*/src'] }, 'libs', { '@lib/*': ['./*/src'] }, '../apps/api/node_modules/'],
  [undefined, '.', {}, './apps/api/node_modules/']
])('paths %j and base %j of a file that is extended stay', (paths, baseUrl, expected, modules) => {
  const root = createFolder({
    'tsconfig.base.json': JSON.stringify({ compilerOptions: { module: 'nodenext', paths, baseUrl } }),
    'apps/api/package.json': API,
    'apps/api/tsconfig.json': '{ "extends": "../../tsconfig.base.json" }',
    'apps/api/a.ts': IMPORT
  })

  migrateFolder(root)

  expect(readJson(root, 'apps/api/tsconfig.json').compilerOptions.paths).toEqual({
    ...expected,
    '@feathersjs/feathers': [`${modules}alula/dist/index.d.ts`],
    '@feathersjs/feathers/lib/declarations': [`${modules}alula/dist/core/types.d.ts`],
    '@feathersjs/authentication-client': [`${modules}alula/dist/client.d.ts`]
  })
  expect(migrateFolder(root).flatMap(({ changes }) => changes)).toEqual([])
})

it('paths of the file itself hide those of the one that it extends, as in TypeScript', () => {
  const root = createFolder({
    'base.json': '{ "compilerOptions": { "paths": { "a": ["./a"] } } }',
    'package.json': API,
    'tsconfig.json': '{ "extends": "./base.json", "compilerOptions": { "paths": { "b": ["./b"] } } }',
    'a.ts': IMPORT
  })

  migrateFolder(root)

  expect(Object.keys(readJson(root, 'tsconfig.json').compilerOptions.paths)).not.toContain('a')
})

it.each([
  ['bin/start', '#!/usr/bin/env node\n', true],
  ['start', '\uFEFF#!/usr/bin/env -S node --import tsx\r\n', true],
  ['start', '#!/bin/sh\n', false],
  ['LICENSE', '', false]
])('%s that begins with %j is a source: %j', (path, first, isSource) => {
  const root = createFolder({ [path]: `${first}require('@feathersjs/errors')\n` })

  migrateFolder(root)

  expect(readFileSync(join(root, path), 'utf8')).toBe(
    `${first}require('${isSource ? 'alula/errors' : '@feathersjs/errors'}')\n`
  )
})

function readJson(folder: string, path: string) {
  return JSON.parse(readFileSync(join(folder, path), 'utf8'))
}
