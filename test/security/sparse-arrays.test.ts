import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'
import { parseQueryString } from '../../src/transport/querystring.ts'
import { listen } from '../support/server.ts'

// An index makes an array with room for all elements before it, and brackets nest: each byte of a query string took a thousand
// bytes of memory, before any check of the application.

const repeat = (count: number, toText: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => toText(n)).join('&')

const message = 'Invalid query string: expected arrays without gaps, as in a[0]=1&a[1]=2'

describe('arrays with large gaps', () => {
  it.each([
    ['nested', repeat(190, (n) => `a${n}${'[499]'.repeat(16)}=1`)],
    ['nested in one', repeat(190, (n) => `a${'[499]'.repeat(15)}[${n}]=1`)],
    ['with escapes', repeat(190, (n) => `a${n}${'%5B%34%399%5D'.repeat(16)}=1`)],
    ['in objects', repeat(501, (n) => `a${n}[499][b][499]=1`)]
  ])('are refused: %s', (_title, search) => {
    expect(() => parseQueryString(search)).toThrow(message)
  })

  it('are a 400 in a URL and in a form', async () => {
    const app = alula().use('notes', memory(), { forms: true })

    await app.setup()

    const url = await listen(createServer(toListener(app, { logger: false })))
    const form = repeat(190, (n) => `a${n}${'[499]'.repeat(16)}=1`)
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }

    for (const response of [
      await fetch(`${url}/notes?${form.slice(0, form.lastIndexOf('&', 14_000))}`),
      await fetch(`${url}/notes`, { method: 'POST', headers, body: form })
    ]) {
      expect([response.status, ((await response.json()) as any).message]).toEqual([400, message])
    }
  })
})

describe('arrays without gaps', () => {
  it('are accepted up to the limits of elements and parameters', () => {
    const list = Array.from({ length: 500 }, () => '1')
    const pairs = Array.from({ length: 500 }, () => ['1', '1'])

    expect(parseQueryString(`${repeat(500, (n) => `a[${n}]=1`)}&${repeat(500, (n) => `b[${n}]=1`)}`)).toEqual(
      {
        a: list,
        b: list
      }
    )
    expect(parseQueryString(repeat(1000, (n) => `a[${n >> 1}][${n & 1}]=1`))).toEqual({ a: pairs })
    // The largest sum of all.
    expect(
      parseQueryString(
        repeat(1000, (n) =>
          n < 499 ? `a[${n}]=1` : n < 998 ? `a[499][${n - 499}]=1` : `a[499][499][${n - 998}]=1`
        )
      )
    ).toEqual({ a: [...list.slice(1), [...list.slice(1), ['1', '1']]] })
  })

  it('may have small gaps, and names may be numbers', () => {
    expect(parseQueryString('a[3]=1&a[499]=2')).toEqual({ a: ['1', '2'] })
    expect(parseQueryString(repeat(900, (n) => `a[0${9000 + n}]=1`))).toEqual({
      a: Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`0${9000 + n}`, '1']))
    })
  })
})
