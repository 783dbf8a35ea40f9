import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { ASSETS } from '../../../src/openapi/assets.ts'

it('the page has at most 81,920 bytes, and 27,328 compressed', () => {
  const contents = ASSETS.map(({ content }) => Buffer.from(content))
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)

  expect(sum(contents.map(({ length }) => length))).toBeLessThanOrEqual(81_920)
  expect(sum(contents.map((content) => gzipSync(content).length))).toBeLessThanOrEqual(27_328)
})

it('the page has no script and no style in its markup, and no address of another site', () => {
  const html = ASSETS.find(({ name }) => name === '')?.content ?? ''
  const others = ASSETS.filter(({ name }) => name !== 'icon.svg').flatMap(({ content }) => [
    ...content.matchAll(/https?:\/\/[\w.]+/g)
  ])

  expect(html).not.toMatch(/<script(?![^>]* src=)|<style|style=|\son\w+=/)
  // Names of XML, which nothing loads.
  expect(others.map(([url]) => url).filter((url) => url !== 'http://www.w3.org')).toEqual([])
})
