import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

it('TypeScript can write the declarations of an application that exports its schemas', () => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const file = join(import.meta.dirname, 'cursors.test-d.ts')
  const program = ts.createProgram([file], {
    ...options,
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, allowImportingTsExtensions: true }
  })
  const found = program.getDeclarationDiagnostics(program.getSourceFile(file))

  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([])
})
