// Words that a reader of plain English stops at are refused in source, documents and examples.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { mustRun } from './support/run.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const FILES = [
  'src/*.ts',
  ':(glob)packages/*/src/**/*.ts',
  ':(glob)packages/*/*.md',
  'examples/*',
  'docs/*.md',
  ':(glob)*.md'
]

const WORDS = [
  ...['doors?', 'hears', 'whoever', 'somebody', 'nobody', 'can not', 'put(?:s|ting)? (?:it |them )?right'],
  ...['mend(?:s|ed|ing)?', 'kin', 'not any more', 'a text', 'as a rule']
]

/**
 * Phrases that readers of the guides had to read twice. Write *external call*, *custom*, *separate*, *is called*, and what a
 * path or a link is.
 */
const HABITS = [
  ...['(?:comes?|calls?) from (?:inside|outside)', 'leads? to', '(?:is|are) asked', 'refuses? the start'],
  // Not *of its own application*, where a noun follows.
  'of (?:its|your|their) own(?=[.,:;)\\]]| (?:and|or|that|which|is|has|for|in|as|by|with|to|because)\\b)'
]

/** Messages of Feathers v5, with which tests compare ours, and the caller `nobody` in the table of access. */
const EXCEPTIONS = [
  ...['Can not create context for', 'Can not apply hooks', 'Hooks can not have a property and param named'],
  ...['You can not replace multiple instances', 'Can not set subject from', 'Can not find service'],
  ...['Can not (?:create|patch|remove|\\$\\{method\\}) multiple entries', "Can not call '\\$\\{method\\}'"],
  ...["'nobody'", '`nobody`', 'nobody@example\\.com', 'as nobody']
]

/** A space of a phrase, which a new line of a comment or a quote may stand in for. */
const SPACE = '\\s+(?:(?://|\\*|>)\\s*)?'

const words = toPattern(`\\b(?:${WORDS.join('|')})\\b`)
const habits = toPattern(`\\b(?:${HABITS.join('|')})`)
const exceptions = toPattern(EXCEPTIONS.join('|'))
const listed = await mustRun('git', ['ls-files', ...FILES], { cwd: ROOT })
const found = listed.trim().split('\n').flatMap(checkFile)

for (const line of found) console.error(line)
console.log(`${found.length} words that are not plain English`)
process.exit(found.length === 0 ? 0 : 1)

function checkFile(name) {
  const text = readFileSync(`${ROOT}/${name}`, 'utf8')
  const prose = name.endsWith('.md')
    ? blank(text, /^([ \t]*)(```+)[\s\S]*?^\1\2|`(?:[^`\n]|\n(?![ \t]*\n))+`/gm)
    : text

  const patterns = isGuide(name) ? [words, habits] : [words]
  const matches = patterns.flatMap((pattern) => [...blank(prose, exceptions).matchAll(pattern)])

  return matches.map(({ 0: word, index }) => {
    return `${name}:${text.slice(0, index).split('\n').length}: ${word.replace(/\s+/g, ' ')}`
  })
}

/** Decisions keep the words of their day. */
function isGuide(name) {
  return name === 'README.md' || (name.startsWith('docs/') && !name.startsWith('docs/decisions/'))
}

function toPattern(source) {
  return new RegExp(source.replaceAll(' ', SPACE), 'gi')
}

/** Keeps the lines, so that their numbers stay. */
function blank(text, pattern) {
  return text.replace(pattern, (part) => part.replace(/[^\n]/g, '_'))
}
