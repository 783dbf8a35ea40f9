import { describe, expect, it } from 'vitest'
import { parseCookies, toSetCookie } from '../../src/utils/cookie.ts'

describe('parseCookies', () => {
  it.each<[string, string | string[] | undefined, [string, string][]]>([
    ['no header', undefined, []],
    ['an empty header', '', []],
    ['separators', '; ;;', []],
    ['one cookie', 'a=1', [['a', '1']]],
    [
      'several',
      'a=1; b=2;c=3',
      [
        ['a', '1'],
        ['b', '2'],
        ['c', '3']
      ]
    ],
    [
      'spaces',
      '  a = 1 ;\tb\t=\t2\t',
      [
        ['a', '1'],
        ['b', '2']
      ]
    ],
    ['equals signs in a value', 'a=b=c==', [['a', 'b=c==']]],
    [
      'no value',
      'a=; b=2',
      [
        ['a', ''],
        ['b', '2']
      ]
    ],
    ['no name', '=1; b=2', [['b', '2']]],
    ['no equals sign', 'a; b=2', [['b', '2']]],
    ['a name twice', 'a=1; a=2', [['a', '1']]],
    [
      'names that differ in case',
      'a=1; A=2',
      [
        ['a', '1'],
        ['A', '2']
      ]
    ],
    [
      'quotes',
      'a="1"; b="2; c=3',
      [
        ['a', '1'],
        ['b', '"2'],
        ['c', '3']
      ]
    ],
    ['empty quotes', 'a=""', [['a', '']]],
    ['one quote', 'a="', [['a', '"']]],
    ['quotes in quotes', 'a=""1""', [['a', '"1"']]],
    [
      'escapes, which are left alone',
      'a=%3B%20; %61=2',
      [
        ['a', '%3B%20'],
        ['%61', '2']
      ]
    ],
    [
      'names of objects',
      '__proto__=1; constructor=2; toString=3',
      [
        ['__proto__', '1'],
        ['constructor', '2'],
        ['toString', '3']
      ]
    ],
    [
      'several headers',
      ['a=1; b=2', 'c=3', 'a=4'],
      [
        ['a', '1'],
        ['b', '2'],
        ['c', '3']
      ]
    ],
    ['no header of several', [], []],
    ['commas', 'a=1, b=2', [['a', '1, b=2']]],
    ['letters beyond ASCII', 'a=\u00e9', [['a', '\u00e9']]]
  ])('reads %s', (_name, header, expected) => {
    expect([...parseCookies(header)]).toEqual(expected)
  })

  it('changes no prototype', () => {
    parseCookies('__proto__=1; __proto__.polluted=1; constructor.prototype.polluted=1')

    expect(({} as any).polluted).toBeUndefined()
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })

  it('takes no longer for hostile headers', () => {
    const header = `${' '.repeat(50_000)}="${'"'.repeat(50_000)}${';='.repeat(50_000)}`
    const begin = process.cpuUsage()

    parseCookies(header)

    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(1000)
  })
})

describe('toSetCookie', () => {
  it.each<[string, Parameters<typeof toSetCookie>, string]>([
    [
      'a cookie for a while',
      ['a', '1', { maxAge: 60, isSecure: false }],
      'a=1; Path=/; HttpOnly; SameSite=Lax; Max-Age=60'
    ],
    [
      'one over HTTPS',
      ['a', '1', { maxAge: 60, isSecure: true }],
      'a=1; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure'
    ],
    [
      'one for a session',
      ['a', '1', { maxAge: undefined, isSecure: false }],
      'a=1; Path=/; HttpOnly; SameSite=Lax'
    ],
    [
      'one that ends',
      ['a', '', { maxAge: 0, isSecure: true }],
      'a=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure'
    ]
  ])('writes %s', (_name, args, expected) => {
    expect(toSetCookie(...args)).toBe(expected)
  })

  it('writes what parseCookies reads', () => {
    const header = toSetCookie('session', 'a.b-c_d', { maxAge: 1, isSecure: true })

    expect(parseCookies(header).get('session')).toBe('a.b-c_d')
  })
})
