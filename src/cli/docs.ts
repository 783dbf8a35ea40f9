import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CommandOutcome } from './command-outcome.ts'

/** A heading with what is below it, until the next heading. */
interface Section {
  readonly file: string
  readonly line: number
  readonly heading: string
  readonly text: string
}

const FOLDER = fileURLToPath(new URL('../../docs', import.meta.url))

/** How many other sections are named. */
const MAX_OTHERS = 8

/** A word in a heading says more than words in the text. */
const HEADING_POINTS = 20

/** More words of one section do not make it a better one. */
const MAX_TEXT_POINTS = 10

/** What is for those who work on alula or look up one difference comes after the guides. */
const NO_GUIDE = /[\\/](?:decisions[\\/].+|architecture|compatibility|index|map|roads)\.md$/

/** What is generated for the site, and not in the package. */
const REFERENCE = /[\\/]docs[\\/](?:api|\.vitepress)[\\/]/

/**
 * Searches the guides in the package.
 *
 * @param words What to search for; a section has to have all of them
 * @returns The best section, and where others are
 */
export function searchDocs(words: readonly string[]): CommandOutcome {
  const terms = words.flatMap((word) => word.toLowerCase().split(/\s+/)).filter((term) => term !== '')
  const found = readSections()
    .map((section) => ({ section, points: rate(section, terms) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => Number(isGuide(b.section)) - Number(isGuide(a.section)) || b.points - a.points)
  const [best, ...others] = found.map(({ section }) => section)

  if (!best) {
    return { code: 1, output: `No guide has '${words.join(' ')}'. The guides are in ${FOLDER}.\n` }
  }

  const places = others.slice(0, MAX_OTHERS).map((section) => `  ${toPlace(section)}  ${section.heading}\n`)

  return {
    code: 0,
    output: `${toPlace(best)}\n\n${best.heading}\n${best.text.trimEnd()}\n${places.length > 0 ? `\nAlso:\n${places.join('')}` : ''}`
  }
}

function readSections(): Section[] {
  return readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !REFERENCE.test(file))
    .sort()
    .flatMap((file) => splitSections(file, readFileSync(file, 'utf8')))
}

function splitSections(file: string, markdown: string): Section[] {
  const sections: { file: string; line: number; heading: string; text: string }[] = []
  let isCode = false

  for (const [index, line] of markdown.split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode

    const last = sections.at(-1)

    // A line of code may begin like a heading.
    if (!isCode && /^#+ /.test(line)) sections.push({ file, line: index + 1, heading: line, text: '' })
    else if (last) last.text += `${line}\n`
  }

  return sections
}

function rate({ heading, text }: Section, terms: readonly string[]): number {
  const points = terms.map((term) => {
    const inText = Math.min(text.toLowerCase().split(term).length - 1, MAX_TEXT_POINTS)

    return inText + (heading.toLowerCase().includes(term) ? HEADING_POINTS : 0)
  })

  if (points.includes(0)) return 0

  const isExact = heading.toLowerCase().replace(/^#+ /, '') === terms.join(' ')

  return points.reduce((sum, value) => sum + value, isExact ? HEADING_POINTS : 0)
}

function isGuide({ file }: Section): boolean {
  return !NO_GUIDE.test(file)
}

function toPlace({ file, line }: Section): string {
  return `${relative(process.cwd(), file)}:${line}`
}
