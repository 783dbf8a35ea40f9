import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { findModuleState } from '../support/module-state.mjs'
import { listFiles, readSources, visitNodes } from '../support/sources.mjs'
import { findSymbols } from '../support/symbols.mjs'

/** A function of as many lines holds a second one. */
const LONG_FUNCTION = 60

/**
 * Measures the sources of all packages.
 *
 * @returns {{ marks: number, symbols: number, filesWithMarks: number, longFunctions: number, longestFunction: number,
 *   moduleState: number, anyPerThousandLines: number, lines: number }} `marks` are symbols that are keys of properties,
 *   `symbols` all of them, those of Feathers left out of both; `lines` are those of all files of `src`
 */
export function measureHouse() {
  const sources = readSources()
  const symbols = findSymbols(sources).filter(({ isFeathers }) => !isFeathers)
  const marks = symbols.filter(({ isMark }) => isMark)
  const long = sources.flatMap(listFunctionLengths).filter((length) => length >= LONG_FUNCTION)
  const lines = sum(sources.map(({ text }) => countLines(text)))

  return {
    marks: marks.length,
    symbols: symbols.length,
    filesWithMarks: new Set(marks.map(({ file }) => file)).size,
    longFunctions: long.length,
    longestFunction: Math.max(0, ...long),
    moduleState: findModuleState(sources).length,
    anyPerThousandLines: Math.round((sum(sources.map(countAny)) / lines) * 10_000) / 10,
    lines: sum(
      listFiles()
        .filter((path) => path.startsWith('src/'))
        .map((path) => countLines(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')))
    )
  }
}

function listFunctionLengths(source) {
  const lengths = []

  visitNodes(source, (node) => {
    if (!(ts.isFunctionLike(node) && node.body)) return

    const [start, end] = [node.getStart(source), node.end].map(
      (position) => source.getLineAndCharacterOfPosition(position).line
    )

    lengths.push(end - start + 1)
  })

  return lengths
}

function countAny(source) {
  let count = 0

  visitNodes(source, ({ kind }) => {
    if (kind === ts.SyntaxKind.AnyKeyword) count++
  })

  return count
}

function countLines(text) {
  return text.split('\n').length - 1
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}
