// What an editor asks of TypeScript, about one file that is not on the disk.
import { join } from 'node:path'
import ts from 'typescript'

const ROOT = join(import.meta.dirname, '../..')

/** Files that several programs share are parsed once. */
const documents = ts.createDocumentRegistry()

/**
 * Creates the language service for a file, with the settings of this repository.
 *
 * @param file Its path, from which it imports
 * @param source What is in it
 */
export function createLanguageService(file: string, source: string): ts.LanguageService {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT, undefined, undefined)

  return ts.createLanguageService(
    {
      getCompilationSettings: () => options,
      getCurrentDirectory: () => ROOT,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      getScriptFileNames: () => [file],
      getScriptVersion: (name) => (name === file ? source : '1'),
      getScriptSnapshot: (name) => {
        const text = name === file ? source : ts.sys.readFile(name)

        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
      fileExists: (name) => name === file || ts.sys.fileExists(name),
      readFile: ts.sys.readFile,
      directoryExists: ts.sys.directoryExists
    },
    documents
  )
}
