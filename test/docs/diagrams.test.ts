import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const DOCS = join(import.meta.dirname, '../../docs')
const sources = readdirSync(join(DOCS, 'images')).filter((file) => file.endsWith('.mmd'))

/** In quotes; in a sequence without them, behind `as` and behind a colon. */
const LABEL = /"([^"]+)"|\bas (\w[^"\n]*)$|^ *(?:Note over |\w+-)[^"\n:]*: ([^"\n]+)$/gm

it('no page has a diagram that the site shows as code', () => {
  const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.md')
  )

  expect(pages.filter((page) => readFileSync(join(DOCS, page), 'utf8').includes('```mermaid'))).toEqual([])
})

it.each(sources)('%s: the picture has each of its labels', (source) => {
  const text = readFileSync(join(DOCS, 'images', source), 'utf8')
  const picture = readFileSync(join(DOCS, 'images', source.replace('.mmd', '.svg')), 'utf8')
  const shown = toWords(picture.replace(/<style>[\s\S]*?<\/style>/, '').replace(/<[^>]+>/g, ' '))
  const labels = [...text.matchAll(LABEL)].map((found) => found.slice(1).join('').replaceAll('<br>', ' '))

  expect(labels.length).toBeGreaterThan(5)
  for (const label of labels) expect(shown).toContain(toWords(label))
})

/** The words alone: a picture breaks lines where it needs to. */
function toWords(text: string): string {
  return text.replace(/\s+/g, '')
}
