import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CommandOutcome } from './command-outcome.ts'

/** A heading with what is below it, until the next heading. */
interface Section {
  /** Below the folder of the guides. */
  readonly file: string
  readonly line: number
  readonly heading: string
  readonly text: string
}

/** A section, and how often it has each word. */
interface Indexed {
  readonly section: Section
  readonly text: ReadonlyMap<string, number>
  readonly heading: ReadonlySet<string>
  /** The words of the name of its file, for the first section of that; others have none. */
  readonly title: ReadonlySet<string>
}

/** A word that was asked for: how rare it is, and how well each section answers it. */
interface Rated {
  readonly rarity: number
  readonly points: readonly number[]
}

const FOLDER = fileURLToPath(new URL('../../docs', import.meta.url))

/** How many other sections are named. */
const MAX_OTHERS = 8

/** A word in a heading says more than words in the text, and a word in the title of a guide too. */
const HEADING_WEIGHT = 2
const TITLE_WEIGHT = 3

/** A heading with the words that were asked for and no others. */
const EXACT_WEIGHT = 1

/** What is for those who work on alula, move to it, or look up one difference comes after the guides. */
const NO_GUIDE =
  /(?:^|[\\/])(?:decisions[\\/].+|architecture|comparison|compatibility|index|map|migrating|roads|writing-.+)\.md$/
const NO_GUIDE_WEIGHT = 0.4

/** What is generated for the site, and not in the package. */
const REFERENCE = /^(?:api|\.vitepress)[\\/]/

/** Words that people ask with, and words of the guides. */
const SYNONYMS: { readonly [word: string]: string } = {
  '2fa': 'totp',
  acl: 'access',
  aggregate: 'count',
  breaking: 'upgrading',
  cloudflare: 'workers',
  deploy: 'deployment',
  docker: 'image',
  dotenv: 'environment',
  env: 'environment',
  forgot: 'reset',
  graceful: 'teardown',
  horizontal: 'scaling',
  i18n: 'language',
  locale: 'language',
  logout: 'revoke',
  mfa: 'totp',
  multipart: 'upload',
  multitenancy: 'tenants',
  multitenant: 'tenants',
  pagination: 'paging pages',
  permission: 'access role',
  presigned: 's3',
  rbac: 'access role',
  serverless: 'lambda',
  shutdown: 'stop',
  sso: 'oauth',
  social: 'oauth',
  tenancy: 'tenants',
  translation: 'language',
  versioning: 'versions'
}

/** What says nothing of what is asked for. */
const EMPTY_WORDS = 'a an and by do for how i in is of on or the to with'.split(' ')

/** Searches the guides in the package. Returns the section that has most of the words, and where others are. */
export function searchDocs(words: readonly string[]): CommandOutcome {
  const sections = readSections()
  const terms = [...new Set(listWords(words.join(' ')).filter((word) => !EMPTY_WORDS.includes(word)))]
  const rated = terms.map((term) => rateTerm(sections, term))
  const found = sections
    .map(({ section, heading }, index) => ({
      section,
      points:
        rated.reduce((sum, { points }) => sum + (points[index] as number), toExtra(heading, terms)) *
        toShare(rated, index) *
        (NO_GUIDE.test(section.file) ? NO_GUIDE_WEIGHT : 1)
    }))
    .filter((_, index) => rated.some(({ points }) => points[index] !== 0))
    .sort((a, b) => b.points - a.points)
  const [best, ...others] = found.map(({ section }) => section)

  if (!best) {
    return { code: 1, output: `No guide has '${words.join(' ')}'. The guides are in ${FOLDER}.\n` }
  }

  const places = others.slice(0, MAX_OTHERS).map((section) => `  ${toPlace(section)}  ${section.heading}\n`)
  const missing = terms.filter((_, index) => rated[index]?.points.every((points) => points === 0))
  const note = missing.length > 0 ? `No guide has '${missing.join(' ')}'.\n\n` : ''

  return {
    code: 0,
    output: `${note}${toPlace(best)}\n\n${best.heading}\n${best.text.trimEnd()}\n${places.length > 0 ? `\nAlso:\n${places.join('')}` : ''}`
  }
}

/** How well each section answers a word: more where few others have it. */
function rateTerm(sections: readonly Indexed[], term: string): Rated {
  // People may ask for words that every object has as members.
  const known = [term, term.replace(/s$/, '')].find((word) => Object.hasOwn(SYNONYMS, word))
  const synonyms = SYNONYMS[known ?? ''] ?? ''
  const stems = [term, ...listWords(synonyms)].map(toStem)
  const weights = sections.map(({ text, heading, title }) =>
    Math.max(
      ...stems.map((stem) => {
        const count = text.get(stem) ?? 0

        return (
          count / (count + 2) +
          (heading.has(stem) ? HEADING_WEIGHT : 0) +
          (title.has(stem) ? TITLE_WEIGHT : 0)
        )
      })
    )
  )
  const count = weights.filter((weight) => weight > 0).length

  const rarity = Math.log(1 + sections.length / Math.max(count, 1))

  return { rarity, points: weights.map((weight) => (weight * rarity) / 5) }
}

/** How many of the words a section has, as a share: rare words count for more. */
function toShare(rated: readonly Rated[], index: number): number {
  const sum = (list: readonly Rated[]) => list.reduce((total, { rarity }) => total + rarity, 0)

  return sum(rated.filter(({ points }) => points[index] !== 0)) / sum(rated)
}

function toExtra(heading: ReadonlySet<string>, terms: readonly string[]): number {
  const isExact = heading.size === terms.length && terms.every((term) => heading.has(toStem(term)))

  return isExact ? EXACT_WEIGHT : 0
}

function listWords(text: string): string[] {
  return text.toLowerCase().match(/[$\w]+(?:\.[a-z]+)*/g) ?? []
}

/** A word without its ending: that of `seeds` and `seeding` is `seed`. */
function toStem(word: string): string {
  return word.length > 4
    ? word.replace(/(?:ations?|ings?|ed|ers?|ies|es|s|e|y)$/, '')
    : word.replace(/s$/, '')
}

function readSections(): Indexed[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !REFERENCE.test(file))
    .sort()
    .flatMap((file) =>
      splitSections(file, readFileSync(join(FOLDER, file), 'utf8')).map((section, index) =>
        toIndexed(section, index === 0)
      )
    )
}

function toIndexed(section: Section, isFirst: boolean): Indexed {
  const { file, heading, text } = section
  const counts = new Map<string, number>()

  for (const word of listWords(text).map(toStem)) counts.set(word, (counts.get(word) ?? 0) + 1)

  const title = isFirst ? listWords(basename(file, '.md').replaceAll('-', ' ')) : []

  return {
    section,
    text: counts,
    heading: new Set(listWords(heading).map(toStem)),
    title: new Set(title.map(toStem))
  }
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

function toPlace({ file, line }: Section): string {
  return `${relative(process.cwd(), join(FOLDER, file))}:${line}`
}
