import { expect, it } from 'vitest'
import { rewriteCompilerOptions } from '../../src/migrate/compiler-options.ts'

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
  ['{ "compilerOptions": { "module": "node20" } }', false],
  ['{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler" } }', true],
  ['{ "compilerOptions": { "module": "node16" } }', true]
])('%j stays as it is', (source, isModule) => {
  expect(rewrite(source, { isModule })).toMatchObject({ text: source, changes: [], remarks: [] })
})

it.each([
  ['{ "compilerOptions": { "module": "esnext", "moduleResolution": "node" } }', true],
  ['{ "compilerOptions": { "module": "es2022" } }', false],
  ['{ "extends": "./base.json", "compilerOptions": { "strict": true } }', false]
])('%j needs a human', (source, isModule) => {
  const { text, remarks } = rewrite(source, { isModule })

  expect(text).toBe(source)
  expect(remarks).toEqual([
    {
      line: 1,
      text: "'exports' of packages have to be read: set 'moduleResolution' to 'nodenext' or 'bundler'",
      anchor: 'typescript'
    }
  ])
})

it('without compiler options somebody has to write them', () => {
  expect(rewrite('{ "extends": "./base.json" }').remarks).toHaveLength(1)
  expect(rewrite('[]').remarks).toHaveLength(1)
})

it('packages that stay get the types of alula', () => {
  const { text, changes } = rewrite('{\n  "compilerOptions": {\n    "module": "nodenext"\n  }\n}\n', {
    hasHostedTypes: true
  })

  expect(text).toBe(`{
  "compilerOptions": {
    "paths": {
      "@feathersjs/feathers": ["./node_modules/alula/dist/index.d.ts"],
      "@feathersjs/feathers/lib/declarations": ["./node_modules/alula/dist/core/types.d.ts"]
    },
    "module": "nodenext"
  }
}
`)
  expect(changes).toHaveLength(2)
  expect(rewrite(text, { hasHostedTypes: true }).changes).toEqual([])
})

it('paths that are there stay, and begin at the base', () => {
  const source = `{
  "compilerOptions": {
    "module": "nodenext",
    "baseUrl": "src",
    "paths": {
      "@/*": ["./*"]
    }
  }
}`
  const { compilerOptions } = JSON.parse(rewrite(source, { hasHostedTypes: true }).text)

  expect(compilerOptions.paths).toEqual({
    '@feathersjs/feathers': ['../node_modules/alula/dist/index.d.ts'],
    '@feathersjs/feathers/lib/declarations': ['../node_modules/alula/dist/core/types.d.ts'],
    '@/*': ['./*']
  })
})

it('both at once', () => {
  const { text } = rewrite('{ "compilerOptions": {} }', { hasHostedTypes: true })

  expect(JSON.parse(text).compilerOptions).toMatchObject({ module: 'nodenext', paths: expect.anything() })
})
