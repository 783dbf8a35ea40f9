import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const ROOT = resolve(import.meta.dirname, '../..')

const LINK = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g

/** Code, and screenshots, which are not in the package. */
const LEFT_OUT = /^ *```[\s\S]*?^ *```$|!\[.*?\]\([^)]*\.webp\)/gm

it('links of the guides lead to files of the package', () => {
  const isPacked = new RegExp(
    `^(?:README\\.md|LICENSE|${manifest.files.map((pattern) => pattern.replace('*', '[^/]+')).join('|')})$`
  )
  const files = ['.', 'docs', 'docs/decisions', 'docs/images', 'docs/recipes', 'docs/tutorial']
    .flatMap((folder) => readdirSync(join(ROOT, folder)).map((file) => normalize(join(folder, file))))
    .filter((file) => isPacked.test(file))
  const guides = files.filter((file) => file.startsWith('docs/') && file.endsWith('.md'))
  const broken = guides.flatMap((guide) =>
    [...readFileSync(join(ROOT, guide), 'utf8').replace(LEFT_OUT, '').matchAll(LINK)]
      .map(([, link]) => link as string)
      .filter((link) => !/^[a-z]+:/.test(link) && !isThere(normalize(join(dirname(guide), link)), files))
      .map((link) => `${guide}: ${link}`)
  )

  expect(guides.length).toBeGreaterThan(40)
  expect(broken).toEqual([])
})

it('installing the package runs none of its scripts', () => {
  const scripts = Object.keys(manifest.scripts)

  expect(scripts.filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([])
})

/** Whether it is a packed file, or a folder of some. */
function isThere(path: string, files: readonly string[]): boolean {
  return files.some((file) => file === path || file.startsWith(`${path}/`))
}
