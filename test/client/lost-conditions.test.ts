import { describe, expect, it, onTestFinished } from 'vitest'
import { rest, socketio } from '../../src/client.ts'
import express, { rest as serveRest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { socketio as serveSockets } from '../../src/socketio.ts'
import { toUrl } from '../support/server.ts'
import { createSocket, failure } from './servers.ts'

// An id or a condition that is lost on the way turns a call for one record into one for all.

const CLIENTS = ['REST', 'a socket'] as const

class Id {}

/** None of these is an id; null is one where a method takes several records. */
const NO_IDS: readonly [name: string, value: unknown][] = [
  ['nothing', undefined],
  ['an empty string', ''],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['true', true],
  ['false', false],
  ['a symbol', Symbol('id')],
  ['a function', () => 1],
  ['an async function', async () => 1],
  ['an empty array', []],
  ['an array of nothing', [undefined]],
  ['an array of null', [null]],
  ['an array of an empty string', ['']],
  ['an array of an id', [1]],
  ['an array of ids', [1, 2]],
  ['a nested array', [[]]],
  ['an object', {}],
  ['an object with an id', { id: 1 }],
  ['an operator', { $ne: null }],
  ['an object without a prototype', Object.create(null)],
  ['an object that becomes null', { toJSON: () => null }],
  ['an object that becomes nothing', { toJSON: () => undefined }],
  ['an object that becomes an empty string', { toString: () => '' }],
  ['a date', new Date(0)],
  ['an invalid date', new Date(Number.NaN)],
  ['a promise', Promise.resolve(1)],
  ['a map', new Map([['id', 1]])],
  ['a set', new Set([1])],
  ['bytes', Uint8Array.of(1)],
  ['no bytes', new Uint8Array()],
  ['a buffer', new ArrayBuffer(1)],
  ['a regular expression', /1/],
  ['an error', new Error('1')],
  ['an instance of a class', new Id()],
  ['a class', Id],
  ['a wrapped string', Object('')],
  ['a wrapped number', Object(Number.NaN)],
  ['search params', new URLSearchParams('id=1')],
  ['a weak map', new WeakMap()]
]

/** Values of a condition that no transport can send. */
const LOST: readonly [name: string, value: unknown][] = [
  ['nothing', undefined],
  ['a function', () => 1],
  ['a symbol', Symbol('n')],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['an invalid date', new Date(Number.NaN)],
  ['a promise', Promise.resolve(1)],
  ['a map', new Map([['n', 1]])],
  ['a set', new Set([1])],
  ['a regular expression', /1/]
]

async function open(transport: (typeof CLIENTS)[number]) {
  const app: any = express(alula())
  const sent: string[] = []

  app.configure(serveRest())
  app.configure(serveSockets())
  app.use('notes', memory({ multi: true }))
  app.hooks({
    before: {
      all: [
        (context: any) => {
          sent.push(context.method)
        }
      ]
    }
  })

  const server = await app.listen(0, '127.0.0.1')
  const client: any = alula()

  onTestFinished(() => app.teardown())
  await app.service('notes')._create(Array.from({ length: 10 }, (_, n) => ({ n })))

  if (transport === 'REST') client.configure(rest(toUrl(server)).fetch(fetch))
  else client.configure(socketio(createSocket(toUrl(server))))

  return { notes: client.service('notes'), stored: () => app.service('notes')._find(), sent }
}

describe.each(CLIENTS)('over %s', (transport) => {
  it('what is no id is refused before anything is sent', async () => {
    const { notes, stored, sent } = await open(transport)
    const before = await stored()

    expect(NO_IDS).toHaveLength(40)

    for (const [name, id] of NO_IDS) {
      for (const call of [
        () => notes.get(id),
        () => notes.update(id, { n: -1 }),
        () => notes.patch(id, { n: -1 }),
        () => notes.remove(id)
      ]) {
        expect(await failure(call()), name).toMatchObject({ name: 'BadRequest' })
      }
    }

    expect(await failure(notes.get(null))).toMatchObject({ name: 'BadRequest' })
    expect(sent).toEqual([])
    expect(await stored()).toEqual(before)
  })

  it('a condition that would be lost is refused before anything is sent', async () => {
    const { notes, stored, sent } = await open(transport)
    const before = await stored()

    for (const [name, value] of LOST) {
      for (const query of [
        { n: value },
        { n: { $gt: value } },
        { n: { $in: [1, value] } },
        { $or: [{ n: 1 }, { n: value }] },
        { $or: value }
      ]) {
        for (const call of [
          () => notes.find({ query }),
          () => notes.get(1, { query }),
          () => notes.patch(null, { n: -1 }, { query }),
          () => notes.remove(null, { query })
        ]) {
          expect(await failure(call()), name).toMatchObject({ name: 'BadRequest' })
        }
      }
    }

    expect(sent).toEqual([])
    expect(await stored()).toEqual(before)
  })

  it('a list with a hole is refused before anything is sent', async () => {
    const { notes, sent } = await open(transport)
    const holes = Array(3).fill(1, 0, 2)

    expect(await failure(notes.remove(null, { query: { n: { $in: holes } } }))).toMatchObject({
      name: 'BadRequest',
      message: "Invalid query: 'n.$in.2' has no value that can be sent. Leave it out, or use null"
    })
    expect(sent).toEqual([])
  })

  it('what is written as an id or a condition arrives', async () => {
    const { notes } = await open(transport)

    expect(await notes.get(1)).toEqual({ id: 1, n: 1 })
    expect(await notes.get('1')).toEqual({ id: 1, n: 1 })
    expect(await notes.find({ query: { n: { $gt: 7 }, $limit: undefined, $select: ['n'] } })).toHaveLength(2)
    expect(await notes.patch(null, { done: true }, { query: { n: { $lt: 2 } } })).toHaveLength(2)
    expect(await notes.find({ query: { done: true } })).toHaveLength(2)
    expect(await notes.remove(null)).toHaveLength(10)
  })
})

it('a list that a query string cannot hold is refused over REST, and finds nothing over a socket', async () => {
  const overRest = await open('REST')

  for (const query of [{ n: { $in: [] } }, { $or: [] }, { n: {} }, { n: { $gt: 1, $in: [] } }]) {
    expect(await failure(overRest.notes.remove(null, { query }))).toMatchObject({ name: 'BadRequest' })
  }

  expect(await failure(overRest.notes.find({ query: { $select: [] } }))).toMatchObject({ name: 'BadRequest' })
  expect(overRest.sent).toEqual([])
  // Without it, the relations of the server would be included.
  expect(await failure(overRest.notes.find({ query: { $include: [] } }))).toMatchObject({
    name: 'BadRequest'
  })
  expect(overRest.sent).toEqual([])

  const overSocket = await open('a socket')

  expect(await overSocket.notes.find({ query: { n: 1, $select: [] } })).toEqual([{ id: 1 }])
  expect(await overSocket.notes.remove(null, { query: { n: { $in: [] } } })).toEqual([])
  expect(await overSocket.stored()).toHaveLength(10)
})

it('a name with brackets is refused over REST, where it would be read as two, and arrives over a socket', async () => {
  const overRest = await open('REST')

  for (const query of [{ 'a[b]': 1 }, { $or: [{ n: 1 }, { 'n]': 1 }] }, { $sort: { '[n': 1 } }]) {
    expect(await failure(overRest.notes.remove(null, { query }))).toMatchObject({
      name: 'BadRequest',
      message: "Invalid query: a name in a query string cannot contain '[' or ']'"
    })
  }
  expect(overRest.sent).toEqual([])

  const overSocket = await open('a socket')

  expect(await overSocket.notes.remove(null, { query: { 'a[b]': 1 } })).toEqual([])
})
