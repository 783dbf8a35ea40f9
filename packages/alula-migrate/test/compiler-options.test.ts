import { parse } from 'jsonc-parser'
import { expect, it } from 'vitest'
import { type CompilerOptionsInput, rewriteCompilerOptions } from '../src/compiler-options.ts'

interface Options extends Partial<CompilerOptionsInput> {
  /** Options of the file that it extends; `null` when it is not there. */
  readonly inherited?: object | null
}

/** Rewrites a tsconfig.json of CommonJS in which no package of Feathers stays, unless it is said. */
function rewrite(source: string, { inherited = { skipLibCheck: true }, ...input }: Options = {}) {
  return rewriteCompilerOptions(source, {
    isModule: false,
    hasHostedTypes: false,
    options: inherited === null ? undefined : { ...inherited, ...parse(source)?.compilerOptions },
    path: '/app/api/tsconfig.json',
    modules: '/app/api/node_modules',
    ...input
  })
}

it.each([
  ['{ "compilerOptions": { "module": "commonjs" } }', '{ "compilerOptions": { "module": "nodenext" } }'],
  ['{ "compilerOptions": { "module": "Node16" } }', '{ "compilerOptions": { "module": "nodenext" } }'],
  [
    '{ "compilerOptions": { "module": "CommonJS", "moduleResolution": "node", "strict": true } }',
    '{ "compilerOptions": { "module": "nodenext", "moduleResolution": "nodenext", "strict": true } }'
  ],
  [
    '{ "extends": "./base.json", "compilerOptions": { "module": "commonjs" } }',
    '{ "extends": "./base.json", "compilerOptions": { "module": "nodenext" } }'
  ],
  ['{\n    "compilerOptions": {}\n}', '{\n    "compilerOptions": {\n        "module": "nodenext"\n    }\n}'],
  [
    '// why\n{\n  "compilerOptions": {\n    "module": /* how */ "commonjs", // "module"\n    "strict": true,\n  },\n}\n',
    '// why\n{\n  "compilerOptions": {\n    "module": /* how */ "nodenext", // "module"\n    "strict": true,\n  },\n}\n'
  ],
  [
    '{\r\n\t"compilerOptions": {\r\n\t\t"strict": true\r\n\t}\r\n}',
    '{\r\n\t"compilerOptions": {\r\n\t\t"module": "nodenext",\r\n\t\t"strict": true\r\n\t}\r\n}'
  ],
  ['{ "compilerOptions": { "module": "node18" } }', '{ "compilerOptions": { "module": "nodenext" } }'],
  [
    '{ "compilerOptions": { "moduleResolution": "node16" } }',
    '{ "compilerOptions": {"module": "nodenext", "moduleResolution": "nodenext" } }'
  ]
])('%j: CommonJS may import ES modules', (source, expected) => {
  const { text, remarks } = rewrite(source)

  expect(text).toBe(expected)
  expect(remarks).toEqual([])
  expect(rewrite(text).text).toBe(text)
  expect(rewrite(text).changes).toEqual([])
})

it.each([
  ['{ "compilerOptions": { "module": "nodenext" } }', false],
  ['{ "compilerOptions": { "module": "NodeNext" } }', true],
  ['{ "compilerOptions": { "module": "node20" } }', false],
  ['{ "compilerOptions": { "module": "preserve" } }', false],
  ['{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler" } }', true],
  ['{ "compilerOptions": { "module": "commonjs", "moduleResolution": "Bundler" } }', false],
  ['{ "compilerOptions": { "module": "node16" } }', true],
  ['{ "compilerOptions": { "module": "node18" } }', true]
])('%j stays as it is', (source, isModule) => {
  expect(rewrite(source, { isModule })).toMatchObject({ text: source, changes: [], remarks: [] })
})

it.each([
  ['{ "compilerOptions": { "module": "commonjs" } }', true, 1],
  ['{\n  "compilerOptions": {\n    "strict": true,\n    "module": "amd"\n  }\n}', false, 4],
  ['{\n  "extends": "./base.json",\n  "compilerOptions": { "strict": true }\n}', false, 3],
  ['{ "compilerOptions": {} }', true, 1]
])('%j needs a human', (source, isModule, line) => {
  const inherited = source.includes('extends') ? null : { skipLibCheck: true }

  expect(rewrite(source, { isModule, inherited })).toMatchObject({
    remarks: [
      {
        line,
        text: "'exports' of packages have to be read: set 'moduleResolution' to 'nodenext' or 'bundler'",
        anchor: 'typescript'
      }
    ]
  })
})

it.each(['{ "extends": "./base.json" }', '{ "compilerOptions": null }', '{}', '[]', ''])(
  '%j has no compiler options: somebody has to write them',
  (source) => {
    expect(rewrite(source, { hasHostedTypes: true, inherited: {} })).toMatchObject({
      text: source,
      changes: [],
      remarks: [
        { line: 1, text: "has no 'compilerOptions': they need module 'nodenext'", anchor: 'typescript' }
      ]
    })
  }
)

it.each([
  ['{ "compilerOptions": { "module": "esnext", "moduleResolution": "Node" } }', 'node → bundler', 1],
  ['{\n  "compilerOptions": {\n    "module": "es2022"\n  }\n}', '(none) → bundler', 2]
])('%j: ES modules are found by exports: %s', (source, change, line) => {
  const { text, changes } = rewrite(source, { isModule: true })

  expect(JSON.parse(text).compilerOptions.moduleResolution).toBe('bundler')
  expect(changes).toEqual([{ line, text: `moduleResolution: ${change}` }])
  expect(rewrite(text, { isModule: true })).toMatchObject({ text, changes: [] })
})

it('options that come from another file are overridden here', () => {
  const source = '{\n  "extends": "../base.json",\n  "include": ["src"]\n}\n'
  const { text, changes } = rewrite(source, {
    inherited: { module: 'commonjs', moduleResolution: 'node' }
  })

  expect(JSON.parse(text)).toEqual({
    extends: '../base.json',
    include: ['src'],
    compilerOptions: { module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: true }
  })
  expect(changes.map((change) => change.text)).toEqual([
    'module: commonjs → nodenext',
    'moduleResolution: node → nodenext',
    'skipLibCheck: (none) → true'
  ])
})

it.each([
  ['{ "compilerOptions": { "module": "nodenext" } }', {}, true],
  ['{ "compilerOptions": { "module": "nodenext" } }', { skipLibCheck: false }, undefined],
  ['{ "compilerOptions": { "module": "nodenext", "skipLibCheck": false } }', {}, false]
])('in %j with %j, skipLibCheck is %j', (source, inherited, expected) => {
  expect(JSON.parse(rewrite(source, { inherited: inherited }).text).compilerOptions.skipLibCheck).toBe(
    expected
  )
})

it('in a monorepo, paths lead to the packages of the root', () => {
  const source = '{ "compilerOptions": { "module": "nodenext" } }'
  const { text } = rewrite(source, {
    hasHostedTypes: true,
    path: '/app/packages/api/tsconfig.json',
    modules: '/app/node_modules'
  })

  expect(JSON.parse(text).compilerOptions.paths['@feathersjs/feathers']).toEqual([
    '../../node_modules/alula/dist/index.d.ts'
  ])
})

it.each([
  [
    '{\n  "compilerOptions": {\n    "moduleResolution": "Node",\n    "module": "CommonJS"\n  }\n}',
    ['4: module: commonjs → nodenext', '3: moduleResolution: node → nodenext']
  ],
  ['{\n  "compilerOptions": {\n    "strict": true\n  }\n}', ['2: module: (none) → nodenext']]
])('%j is reported as %j', (source, expected) => {
  expect(rewrite(source).changes.map(({ line, text }) => `${line}: ${text}`)).toEqual(expected)
})

const PATHS = {
  '@feathersjs/feathers': ['./node_modules/alula/dist/index.d.ts'],
  '@feathersjs/feathers/lib/declarations': ['./node_modules/alula/dist/core/types.d.ts'],
  '@feathersjs/authentication-client': ['./node_modules/alula/dist/client.d.ts']
}

it.each([
  [{ module: 'nodenext' }, { module: 'nodenext', paths: PATHS }],
  [{}, { module: 'nodenext', paths: PATHS }],
  // Paths that are there stay.
  [
    { module: 'nodenext', paths: { '@/*': ['./*'] } },
    { module: 'nodenext', paths: { '@/*': ['./*'], ...PATHS } }
  ],
  [
    { module: 'nodenext', paths: { '@feathersjs/feathers': ['./mine.d.ts'] } },
    { module: 'nodenext', paths: { ...PATHS, '@feathersjs/feathers': ['./mine.d.ts'] } }
  ]
])('%j: packages that stay get the types of alula', (compilerOptions, expected) => {
  for (const space of [undefined, 2, '\t']) {
    const { text } = rewrite(JSON.stringify({ compilerOptions }, null, space), { hasHostedTypes: true })

    expect(JSON.parse(text)).toEqual({ compilerOptions: expected })
    if (space) expect(text).toBe(JSON.stringify(JSON.parse(text), null, space))
    expect(rewrite(text, { hasHostedTypes: true })).toMatchObject({ text, changes: [] })
  }
})

it('comments, line endings and other lines stay as they are written', () => {
  const lines = [
    '// why',
    '{',
    '\t"compilerOptions": {',
    '\t\t"strict":true, // "module"',
    '\t\t"lib": ["es2020",  "dom"],',
    '\t},',
    '\t"include":[ "src" ]',
    '}',
    ''
  ]
  const { text } = rewrite(lines.join('\r\n'))

  expect(text.split('\r\n')).toEqual([...lines.slice(0, 3), '\t\t"module": "nodenext",', ...lines.slice(3)])
})

it.each([
  ['.', './node_modules/alula/dist/index.d.ts'],
  ['./', './node_modules/alula/dist/index.d.ts'],
  ['src', '../node_modules/alula/dist/index.d.ts'],
  ['./src/server/', '../../node_modules/alula/dist/index.d.ts'],
  ['node_modules', './alula/dist/index.d.ts']
])('with the base %j, paths lead to %s', (baseUrl, path) => {
  const source = JSON.stringify({ compilerOptions: { module: 'nodenext', baseUrl } })
  const { compilerOptions } = JSON.parse(rewrite(source, { hasHostedTypes: true }).text)

  expect(compilerOptions.paths['@feathersjs/feathers']).toEqual([path])
})

it('paths are reported in the line where they are, or would be', () => {
  const changesOf = (source: string) =>
    rewrite(source, { hasHostedTypes: true }).changes.map(({ line, text }) => `${line}: ${text}`)

  expect(changesOf('{\n"compilerOptions": {\n"module": "commonjs"\n} }')).toEqual([
    '3: module: commonjs → nodenext',
    '2: paths: + @feathersjs/feathers, whose types are those of alula',
    '2: paths: + @feathersjs/feathers/lib/declarations, whose types are those of alula',
    '2: paths: + @feathersjs/authentication-client, whose types are those of alula'
  ])
  expect(changesOf('{ "compilerOptions": { "module": "nodenext",\n"paths": {} } }')).toEqual([
    '2: paths: + @feathersjs/feathers, whose types are those of alula',
    '2: paths: + @feathersjs/feathers/lib/declarations, whose types are those of alula',
    '2: paths: + @feathersjs/authentication-client, whose types are those of alula'
  ])
})
