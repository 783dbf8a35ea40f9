import { expect, it } from 'vitest'
import { readVersion } from '../src/alula.ts'
import { JsonText } from '../src/json.ts'
import { listDependencies, refusePreRelease, rewriteManifest } from '../src/manifest.ts'

/** Rewrites a package.json for sources that load some packages. The version of alula is written as 0.1.0. */
function rewrite(
  source: object | string,
  packages: string[] = ['alula'],
  isTyped = false,
  { locked = {} as { [name: string]: string } } = {}
) {
  const text = typeof source === 'string' ? source : JSON.stringify(source, null, 2)

  const withVersion = (line: string) => line.replaceAll(`^${readVersion()}`, '^0.1.0')
  const rewritten = rewriteManifest(text, {
    packages: new Set(packages),
    isTyped,
    locked: (name) => locked[name]
  })

  return {
    ...rewritten,
    text: withVersion(rewritten.text),
    changes: rewritten.changes.map((change) => ({ ...change, text: withVersion(change.text) }))
  }
}

it('packages that are replaced give way to alula, in their order and in their section', () => {
  const { text, changes } = rewrite({
    dependencies: { '@feathersjs/express': '^5.0.0', '@feathersjs/knex': '^5.0.0', knex: '^3.0.0' },
    devDependencies: { '@feathersjs/rest-client': '^5.0.0', mocha: '^11.0.0' }
  })

  expect(JSON.parse(text)).toEqual({
    dependencies: { '@feathersjs/knex': '^5.0.0', alula: '^0.1.0', knex: '^3.0.0' },
    devDependencies: { mocha: '^11.0.0' }
  })
  expect(Object.keys(JSON.parse(text).dependencies)).toEqual(['@feathersjs/knex', 'alula', 'knex'])
  expect(changes).toEqual([
    { line: 3, text: 'dependencies: − @feathersjs/express' },
    { line: 8, text: 'devDependencies: − @feathersjs/rest-client' },
    { line: 2, text: 'dependencies: + alula@^0.1.0' }
  ])
})

it('alula is no development dependency where what it replaces was none', () => {
  const source = { dependencies: { '@feathersjs/errors': '5' }, devDependencies: { alula: '1' } }

  expect(JSON.parse(rewrite(source).text)).toEqual({ dependencies: { alula: '1' }, devDependencies: {} })
  expect(JSON.parse(rewrite({ devDependencies: { '@feathersjs/errors': '5', alula: '1' } }).text)).toEqual({
    devDependencies: { alula: '1' }
  })
  expect(JSON.parse(rewrite({ devDependencies: { alula: '1' } }).text)).toEqual({
    devDependencies: { alula: '1' }
  })
})

it.each([
  [{ dependencies: { '@feathersjs/errors': '5' } }, { dependencies: { alula: '^0.1.0' } }],
  [{ devDependencies: { '@feathersjs/errors': '5' } }, { devDependencies: { alula: '^0.1.0' } }],
  [
    { peerDependencies: { '@feathersjs/errors': '5' } },
    { peerDependencies: {}, dependencies: { alula: '^0.1.0' } }
  ],
  [
    { optionalDependencies: { '@feathersjs/errors': '5' } },
    { optionalDependencies: {}, dependencies: { alula: '^0.1.0' } }
  ],
  [
    { devDependencies: { '@feathersjs/koa': '5' }, dependencies: { '@feathersjs/koa': '5' } },
    { devDependencies: { '@feathersjs/koa': '5' }, dependencies: { alula: '^0.1.0' } }
  ],
  [{ dependencies: { a: '1' } }, { dependencies: { a: '1', alula: '^0.1.0' } }],
  [{ scripts: { test: 'mocha' } }, { scripts: { test: 'mocha' }, dependencies: { alula: '^0.1.0' } }]
])('%j becomes %j', (source, expected) => {
  expect(JSON.parse(rewrite(source).text)).toEqual(expected)
})

it('without alula in the sources, what they do not load is taken away and nothing added', () => {
  const source = { dependencies: { '@feathersjs/errors': '5' }, devDependencies: { alula: '1' } }

  expect(JSON.parse(rewrite(source, []).text)).toEqual({ dependencies: { alula: '1' }, devDependencies: {} })
  expect(rewrite({ dependencies: { a: '1' } }, []).changes).toEqual([])
})

it.each([
  // Everything else stays as it is written.
  [
    '{\r\n\t"name": "a",  "files": ["b","c"],\r\n\t"dependencies": {\r\n\t\t"@feathersjs/errors": "5"\r\n\t},\r\n\t"d": { "e": [] }\r\n}',
    '{\r\n\t"name": "a",  "files": ["b","c"],\r\n\t"dependencies": {\r\n\t\t"alula": "^0.1.0"\r\n\t},\r\n\t"d": { "e": [] }\r\n}'
  ],
  // A section on one line stays on one line, and an empty one is empty.
  [
    '{ "dependencies": { "b": "1", "@feathersjs/errors": "5" } }',
    '{ "dependencies": {"alula": "^0.1.0", "b": "1" } }'
  ],
  ['{ "dependencies": {"@feathersjs/errors": "5", "alula": "1"} }', '{ "dependencies": {"alula": "1"} }'],
  [
    '{ "devDependencies": {"@feathersjs/errors": "5"}, "dependencies": {"alula": "1"} }',
    '{ "devDependencies": {}, "dependencies": {"alula": "1"} }'
  ],
  // A section without entries gets those of the file.
  ['{\n    "dependencies": {}\n}', '{\n    "dependencies": {\n        "alula": "^0.1.0"\n    }\n}'],
  // A new name comes in front of the first one that is later, or last.
  [
    '{ "dependencies": { "z": "1", "a": "1", "@feathersjs/errors": "5" } }',
    '{ "dependencies": {"alula": "^0.1.0", "z": "1", "a": "1" } }'
  ],
  [
    '{\n  "dependencies": {\n    "@feathersjs/errors": "5",\n    "al": "1"\n  }\n}',
    '{\n  "dependencies": {\n    "al": "1",\n    "alula": "^0.1.0"\n  }\n}'
  ],
  // A section that is missing is written after everything else.
  ['{\n\t"name": "a"\n}\n', '{\n\t"name": "a",\n\t"dependencies": {\n\t\t"alula": "^0.1.0"\n\t}\n}\n']
])('%j is written %j', (source, expected) => {
  expect(rewrite(source).text).toBe(expected)
})

it('what an entry needs is added where its package stood, if it is used', () => {
  const source = {
    dependencies: { '@feathersjs/authentication-oauth': '5', '@feathersjs/socketio': '5' },
    devDependencies: { '@feathersjs/socketio-client': '5', 'socket.io-client': '4.7.0' }
  }
  const { text } = rewrite(source, ['alula', 'alula/socketio', 'alula/client'])

  expect(JSON.parse(text)).toEqual({
    dependencies: { alula: '^0.1.0', 'socket.io': '^4.8.0' },
    devDependencies: { 'socket.io-client': '4.7.0' }
  })
})

it('middleware that Express brought is listed, and with TypeScript its types', () => {
  const source = { dependencies: { '@feathersjs/express': '5' }, devDependencies: {} }

  expect(JSON.parse(rewrite(source, ['alula', 'cors']).text)).toEqual({
    dependencies: { alula: '^0.1.0', cors: '^2.8.5' },
    devDependencies: {}
  })
  expect(JSON.parse(rewrite(source, ['alula', 'compression'], true).text)).toEqual({
    dependencies: { alula: '^0.1.0', compression: '^1.8.1' },
    devDependencies: { '@types/compression': '^1.8.1', '@types/express': '^5.0.0' }
  })
})

it('the packages that Koa brought are listed, and with TypeScript its types', () => {
  const source = { dependencies: { '@feathersjs/koa': '5' }, devDependencies: {} }
  const { text } = rewrite(source, ['alula', 'alula/koa'], true)

  expect(JSON.parse(text)).toEqual({
    dependencies: {
      '@koa/cors': '^5.0.0',
      alula: '^0.1.0',
      koa: '^3.0.0',
      'koa-body': '^8.0.0',
      'koa-static': '^5.0.0'
    },
    devDependencies: { '@types/koa': '^3.0.0' }
  })
})

it('a package that is still named keeps its line, and what replaces it has its peers', () => {
  const source = { dependencies: { '@feathersjs/koa': '5' } }
  const { dependencies } = JSON.parse(rewrite(source, ['alula', 'alula/koa', '@feathersjs/koa']).text)

  expect(dependencies).toMatchObject({ '@feathersjs/koa': '5', alula: '^0.1.0', koa: '^3.0.0' })
})

it('a section that is not there yet is made', () => {
  const { text } = rewrite({ name: 'a', dependencies: { '@feathersjs/express': '5' } }, ['alula'], true)

  expect(text).toBe(
    JSON.stringify(
      { name: 'a', dependencies: { alula: '^0.1.0' }, devDependencies: { '@types/express': '^5.0.0' } },
      null,
      2
    )
  )
})

it('two sections that are missing are both written', () => {
  expect(rewrite('{\n  "name": "a"\n}\n', ['alula', 'cors'], true).text).toBe(`{
  "name": "a",
  "dependencies": {
    "alula": "^0.1.0",
    "cors": "^2.8.5"
  },
  "devDependencies": {
    "@types/cors": "^2.8.19"
  }
}
`)
})

it.each(['', '[]', '{ "dependencies"'])('%j is no manifest, and needs a human', (source) => {
  const text = "is not an object in JSON, and stays as it is: list 'alula' in it"

  expect(rewrite(source)).toMatchObject({
    text: source,
    changes: [],
    remarks: [{ line: 1, text, anchor: 'manual-changes' }]
  })
  expect(rewrite(source, []).remarks).toEqual([])
})

it('a package that a file still imports stays', () => {
  const source = { dependencies: { '@feathersjs/commons': '5', '@feathersjs/errors': '5' } }

  expect(JSON.parse(rewrite(source, ['alula', '@feathersjs/commons']).text)).toEqual({
    dependencies: { '@feathersjs/commons': '5', alula: '^0.1.0' }
  })
})

it('what is moved already is left alone', () => {
  const source = JSON.stringify({ dependencies: { alula: '^0.0.9', cors: '2' } })
  const { text, changes } = rewrite(source, ['alula', 'cors'])

  expect(text).toBe(source)
  expect(changes).toEqual([])
})

it('a change is reported in the line of its name, or of its section', () => {
  const source = `{
  "dependencies": {
    "a": "1",
    "@feathersjs/express": "5"
  },
  "name": "b"
}`
  const { changes } = rewrite(source, ['alula'], true)

  expect(changes.map(({ line, text }) => `${line}: ${text}`)).toEqual([
    '4: dependencies: − @feathersjs/express',
    '1: devDependencies: + @types/express@^5.0.0',
    '2: dependencies: + alula@^0.1.0'
  ])
})

it.each([
  [{ '@feathersjs/feathers': '^4.5.0' }, 'this is Feathers ^4.5.0: move to Feathers v5 first', 'steps'],
  [{ '@feathersjs/feathers': '>=3' }, 'this is Feathers >=3: move to Feathers v5 first', 'steps'],
  [{ express: '^4.18.0' }, "'express' is of Express 4, alula has Express 5", 'express-5'],
  [{ '@types/express': '4' }, "'@types/express' is of Express 4, alula has Express 5", 'express-5'],
  [{ jest: '^30.0.0' }, 'Jest needs a setting that transforms alula', 'jest']
])('%o needs a human: %s', (dependencies, sentence, anchor) => {
  const { remarks } = rewrite({ dependencies }, [], true)

  expect(remarks.map(({ line, text, anchor }) => [line, text, anchor])).toEqual([[3, sentence, anchor]])
})

it.each([
  { '@feathersjs/feathers': '^5.0.0' },
  { '@feathersjs/feathers': '5' },
  { '@feathersjs/feathers': 'pre' },
  { '@feathersjs/feathers': 'file:../v4' },
  { express: '^5.0.0', '@types/express': '^5.0.0' },
  { express: '14.0.0' },
  { express: '40.0.0' },
  { typescript: '^5.8.0' },
  { typescript: '5.10' },
  { typescript: '^6.0.0' },
  { typescript: 'latest' }
])('%o is fine', (dependencies) => {
  expect(rewrite({ dependencies }, [], true).remarks).toEqual([])
})

it('in JavaScript, the version of TypeScript does not matter', () => {
  expect(rewrite({ dependencies: { typescript: '^4.0.0' } }, [], false).remarks).toEqual([])
})

it('a package that stays is listed when it is imported', () => {
  const source = { dependencies: { '@feathersjs/feathers': '5', '@feathersjs/knex': '5' } }
  const packages = ['alula', '@feathersjs/hooks', '@feathersjs/knex', '@feathersjs/schema', 'knex']
  const { text, changes } = rewrite(source, packages, false, { locked: { '@feathersjs/hooks': '0.9.0' } })

  expect(JSON.parse(text).dependencies).toEqual({
    '@feathersjs/hooks': '^0.9.0',
    '@feathersjs/knex': '5',
    '@feathersjs/schema': '^5.0.50',
    alula: '^0.1.0'
  })
  expect(changes.map((change) => change.text)).toContain(
    'dependencies: + @feathersjs/schema@^5.0.50, which is imported and was not listed'
  )
})

it('packages that came with those that go are listed, in the version of the lock file, with their types', () => {
  const source = {
    dependencies: { '@feathersjs/authentication': '5', '@feathersjs/express': '5' },
    devDependencies: { '@types/jsonwebtoken': '9' }
  }
  const packages = ['alula', 'uuid', 'lodash', 'jsonwebtoken', 'express', 'left-pad']
  const locked = { uuid: '9.0.1', express: '4.21.2' }
  const { text, changes } = rewrite(source, packages, true, { locked })

  expect(JSON.parse(text)).toEqual({
    dependencies: {
      alula: '^0.1.0',
      express: '^5.1.0',
      jsonwebtoken: '^9.0.2',
      lodash: '^4.17.21',
      uuid: '^9.0.1'
    },
    devDependencies: { '@types/express': '^5.0.0', '@types/jsonwebtoken': '9', '@types/lodash': '^4.17.20' }
  })
  expect(changes.map((change) => change.text)).toContain(
    'dependencies: + uuid@^9.0.1, which came with @feathersjs/authentication'
  )
})

it.each([
  [{ typescript: '~5.2' }, {}, { typescript: '^5.9.3' }],
  [{ typescript: '5.7.3' }, {}, { typescript: '^5.9.3' }],
  [{ typescript: '^5.3.0' }, { typescript: '5.3.3' }, { typescript: '^5.9.3' }],
  [{ typescript: '^5.8.0' }, { typescript: '5.9.2' }, { typescript: '^5.8.0' }],
  [{ '@types/node': '^18.0.0' }, {}, { '@types/node': '^20.19.0' }],
  [{ '@types/node': '*' }, { '@types/node': '16.18.0' }, { '@types/node': '^20.19.0' }],
  [{}, { '@types/node': '16.18.0' }, { '@types/node': '^20.19.0' }],
  [{ '@types/node': '^22.0.0' }, { '@types/node': '22.1.0' }, { '@types/node': '^22.0.0' }],
  [{ '@feathersjs/mongodb': '^5.0.11' }, {}, { '@feathersjs/mongodb': '^5.0.50' }],
  [
    { '@feathersjs/mongodb': '^5.0.11' },
    { '@feathersjs/mongodb': '5.0.30' },
    { '@feathersjs/mongodb': '^5.0.11' }
  ]
])('%j with %j in the lock file becomes %j', (devDependencies, locked, expected) => {
  const isMongo = '@feathersjs/mongodb' in devDependencies
  const source = { devDependencies }
  const { text } = rewrite(source, ['alula'], !isMongo, { locked })

  expect(JSON.parse(text).devDependencies).toEqual(expected)
})

it.each([
  ['^2.5.1', {}, '^2.5.1'],
  ['^3.1.0', { knex: '3.1.0' }, '3.1.0']
])('with knex %s, the peer of @feathersjs/knex is named', (knex, locked, shown) => {
  const { remarks } = rewrite({ dependencies: { '@feathersjs/knex': '5', knex } }, ['alula'], false, {
    locked
  })

  expect(remarks.map(({ line, text }) => [line, text])).toEqual([
    [4, `'@feathersjs/knex' 5.0.50 needs knex 3.3 or later, and this is ${shown}`]
  ])
})

it.each([
  [{ '@feathersjs/feathers': '^5.0.0-pre.32' }, true],
  [{ '@feathersjs/koa': '5.0.0-beta.1' }, true],
  [{ '@feathersjs/feathers': '^5.0.0' }, false],
  [{ other: '^5.0.0-pre.1' }, false]
])('%j is refused: %j', (dependencies, isRefused) => {
  const refusal = refusePreRelease(listDependencies(new JsonText(JSON.stringify({ dependencies }))))

  expect(refusal !== undefined).toBe(isRefused)
})
