import { expect, it } from 'vitest'
import { rewriteCompilerOptions } from '../src/compiler-options.ts'

/** Rewrites a tsconfig.json of CommonJS in which no package of Feathers stays, unless it is said. */
function rewrite(source: string, { isModule = false, hasHostedTypes = false } = {}) {
  return rewriteCompilerOptions(source, { isModule, hasHostedTypes })
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
  ['{\n    "compilerOptions": {}\n}', '{\n    "compilerOptions": {\n      "module": "nodenext"\n    }\n}'],
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
    '{ "compilerOptions": {\n"module": "nodenext", "moduleResolution": "nodenext" } }'
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
  ['{ "compilerOptions": { "module": "esnext", "moduleResolution": "node" } }', true, 1],
  ['{ "compilerOptions": { "module": "commonjs" } }', true, 1],
  ['{\n  "compilerOptions": {\n    "strict": true,\n    "module": "es2022"\n  }\n}', false, 4],
  ['{\n  "extends": "./base.json",\n  "compilerOptions": { "strict": true }\n}', false, 3],
  ['{ "compilerOptions": {} }', true, 1]
])('%j needs a human', (source, isModule, line) => {
  expect(rewrite(source, { isModule })).toMatchObject({
    text: source,
    changes: [],
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
    expect(rewrite(source, { hasHostedTypes: true })).toEqual({
      text: source,
      changes: [],
      remarks: [
        { line: 1, text: "there are no 'compilerOptions': they need module 'nodenext'", anchor: 'typescript' }
      ],
      packages: new Set()
    })
  }
)

it.each([
  [
    '{\n  "compilerOptions": {\n    "moduleResolution": "Node",\n    "module": "CommonJS"\n  }\n}',
    ['4: module: CommonJS → nodenext', '4: moduleResolution: Node → nodenext']
  ],
  ['{\n  "compilerOptions": {\n    "strict": true\n  }\n}', ['2: module: (none) → nodenext']]
])('%j is reported as %j', (source, expected) => {
  expect(rewrite(source).changes.map(({ line, text }) => `${line}: ${text}`)).toEqual(expected)
})

const FEATHERS = '"@feathersjs/feathers": ["./node_modules/alula/dist/index.d.ts"]'
const DECLARATIONS = '"@feathersjs/feathers/lib/declarations": ["./node_modules/alula/dist/core/types.d.ts"]'

it.each([
  [
    '{\n  "compilerOptions": {\n    "module": "nodenext"\n  }\n}\n',
    `{\n  "compilerOptions": {\n    "paths": {\n      ${FEATHERS},\n      ${DECLARATIONS}\n    },\n    "module": "nodenext"\n  }\n}\n`
  ],
  // The indentation and the line endings are those of the file.
  [
    '{\r\n\t"compilerOptions": {\r\n\t\t"module": "nodenext"\r\n\t}\r\n}',
    `{\r\n\t"compilerOptions": {\r\n\t\t"paths": {\r\n\t\t\t${FEATHERS},\r\n\t\t\t${DECLARATIONS}\r\n\t\t},\r\n\t\t"module": "nodenext"\r\n\t}\r\n}`
  ],
  [
    '{ "compilerOptions": { "module": "nodenext" } }',
    `{ "compilerOptions": {\n"paths": {\n  ${FEATHERS},\n  ${DECLARATIONS}\n}, "module": "nodenext" } }`
  ],
  [
    '{\n  "compilerOptions": {}\n}',
    `{\n  "compilerOptions": {\n    "paths": {\n      ${FEATHERS},\n      ${DECLARATIONS}\n    },\n    "module": "nodenext"\n  }\n}`
  ],
  [
    '{ "compilerOptions": {} }',
    `{ "compilerOptions": {\n  "paths": {\n    ${FEATHERS},\n    ${DECLARATIONS}\n  },\n  "module": "nodenext"\n} }`
  ],
  // Paths that are there stay.
  [
    '{\n  "compilerOptions": {\n    "module": "nodenext",\n    "paths": {\n      "@/*": ["./*"]\n    }\n  }\n}',
    `{\n  "compilerOptions": {\n    "module": "nodenext",\n    "paths": {\n      ${FEATHERS},\n      ${DECLARATIONS},\n      "@/*": ["./*"]\n    }\n  }\n}`
  ],
  [
    '{\n  "compilerOptions": {\n    "module": "nodenext",\n    "paths": {}\n  }\n}',
    `{\n  "compilerOptions": {\n    "module": "nodenext",\n    "paths": {\n      ${FEATHERS},\n      ${DECLARATIONS}\n    }\n  }\n}`
  ],
  [
    '{\n  "compilerOptions": {\n    "module": "nodenext",\n    "paths": null\n  }\n}',
    `{\n  "compilerOptions": {\n    "module": "nodenext",\n    "paths": {\n      ${FEATHERS},\n      ${DECLARATIONS}\n    }\n  }\n}`
  ],
  [
    `{\n  "compilerOptions": {\n    "module": "nodenext",\n    "paths": {\n      "@feathersjs/feathers": ["./mine.d.ts"]\n    }\n  }\n}`,
    `{\n  "compilerOptions": {\n    "module": "nodenext",\n    "paths": {\n      ${DECLARATIONS},\n      "@feathersjs/feathers": ["./mine.d.ts"]\n    }\n  }\n}`
  ]
])('%j: packages that stay get the types of alula', (source, expected) => {
  const { text } = rewrite(source, { hasHostedTypes: true })

  expect(text).toBe(expected)
  expect(rewrite(text, { hasHostedTypes: true })).toMatchObject({ text, changes: [] })
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
    '2: paths: + @feathersjs/feathers/lib/declarations, whose types are those of alula'
  ])
  expect(changesOf('{ "compilerOptions": { "module": "nodenext",\n"paths": {} } }')).toEqual([
    '2: paths: + @feathersjs/feathers, whose types are those of alula',
    '2: paths: + @feathersjs/feathers/lib/declarations, whose types are those of alula'
  ])
})
