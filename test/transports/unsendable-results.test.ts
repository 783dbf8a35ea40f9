import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { schema } from '../../src/schema.ts'
import { describeRemoteTransports } from '../support/transports.ts'

const Note = z.object({ id: z.int(), text: z.string() })

/** What JSON does not have: it would write the state of these values, or nothing. */
const RESULTS: { readonly [title: string]: readonly [make: () => unknown, kind: string] } = {
  'a stream of Node': [() => Readable.from(['a']), 'an instance of Readable'],
  'a stream of the Fetch API': [() => new ReadableStream(), 'an instance of ReadableStream'],
  'a response': [() => new Response('a'), 'an instance of Response'],
  'a file': [() => new Blob(['a']), 'an instance of Blob'],
  'a Map': [() => new Map([[1, 2]]), 'an instance of Map'],
  'a Set': [() => new Set([1]), 'an instance of Set'],
  'an iterator': [() => [1].values(), 'an iterator'],
  'a generator': [() => toNumbers(), 'an iterator'],
  'an async generator': [() => toLaterNumbers(), 'an iterator'],
  'a function': [() => () => 1, 'a function']
}

/** Whether the test that runs goes through Koa. */
const isKoa = () => expect.getState().currentTestName?.includes('through Koa')

/** What Koa sends as it is. */
const BYTES = ['a stream of Node', 'a stream of the Fetch API', 'a response', 'a file']

describeRemoteTransports('a result that JSON does not have', (open) => {
  it.each(
    Object.entries(RESULTS).flatMap(([title, of]) =>
      ['things', 'notes'].map((path) => [title, path, of] as const)
    )
  )('is an error: %s of %s', async (title, path, [make, kind]) => {
    // Its middleware sees them, where no schema says what leaves.
    if (isKoa() && path === 'things' && BYTES.includes(title)) return

    const lines: string[] = []
    const service = { make: async () => make() }
    const logger = { error: (line: string) => void lines.push(line) }
    const client = await open(
      (app: any) => {
        app.use('things', service, { methods: ['make'] })
        app.use('notes', service, { methods: ['make'], schema: schema(Note) })
      },
      { logger }
    )
    const message = `The result of '${path}' (make) cannot be sent as JSON: got ${kind}`

    expect(await client.fail('make', path, { data: {} })).toMatchObject({
      code: 500,
      message: expect.stringContaining(message)
    })
    if (!isKoa()) expect(lines).toEqual([expect.stringContaining(message)])
  })

  it('ends, so that nothing stays open', async () => {
    const stream = Readable.from(['a'])
    const cancelled: string[] = []
    const results: { readonly [name: string]: unknown } = {
      stream,
      web: new ReadableStream({ cancel: () => void cancelled.push('web') }),
      response: new Response(new ReadableStream({ cancel: () => void cancelled.push('response') }))
    }
    const client = await open((app: any) =>
      app.use('things', { make: async ({ name }: any) => results[name] }, { methods: ['make'] })
    )

    if (isKoa()) return

    for (const name of Object.keys(results)) {
      await client.fail('make', 'things', { data: { name } })
    }
    expect(stream.destroyed).toBe(true)
    expect(cancelled).toEqual(['web', 'response'])
  })

  it('may become one that JSON has, in a hook', async () => {
    const client = await open((app: any) => {
      app.use('things', { make: async () => new Map([['a', 1]]) }, { methods: ['make'] })
      app.service('things').hooks({
        after: {
          make: [
            (context: any) => {
              context.dispatch = Object.fromEntries(context.result)
            }
          ]
        }
      })
    })

    expect(await client.call('make', 'things', { data: {} })).toEqual({ a: 1 })
  })

  it.each([
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    [
      'an instance with fields, and a pipe that is none of a stream',
      new (class Point {
        x = 1
        pipe() {}
        destroy() {
          throw new Error('it is no stream')
        }
      })(),
      { x: 1 }
    ],
    ['a subclass of arrays', new (class List extends Array {})(2).fill(1), [1, 1]],
    [
      'an iterable with fields',
      new (class Bag {
        items = [1];
        *[Symbol.iterator]() {
          yield* this.items
        }
      })(),
      { items: [1] }
    ],
    [
      'an iterator with fields',
      new (class Page {
        data = [1]
        next() {}
        async *[Symbol.asyncIterator]() {}
      })(),
      { data: [1] }
    ],
    ['a text as an object', Object(''), ''],
    ['a function with toJSON', Object.assign(() => 1, { toJSON: () => ({ a: 1 }) }), { a: 1 }],
    ['a Map with toJSON', Object.assign(new Map(), { toJSON: () => ({ a: 1 }) }), { a: 1 }]
  ])('is none of these: %s', async (_title, result, sent) => {
    const client = await open((app: any) =>
      app.use('things', { make: async () => result }, { methods: ['make'] })
    )
    const got = await client.call('make', 'things', { data: {} })

    expect(JSON.parse(JSON.stringify(got))).toEqual(sent)
  })
})

it('a stream that JSON does not have is an error for app.asClient() too, which tells of the way', async () => {
  const app: any = alula()
  const stream = Readable.from(['a'])

  app.use('things', { make: async () => stream }, { methods: ['make'] })
  await expect(app.asClient().service('things').make({})).rejects.toThrow(
    /got an instance of Readable\. Functions of app\.mount send files and streams/
  )
  expect(stream.destroyed).toBe(true)
  // Other services of the application get the result itself.
  expect(await app.service('things').make({})).toBe(stream)
})

it('a failing file that is refused does not end the process', async () => {
  const { createReadStream } = await import('node:fs')
  const app: any = alula()
  const file = createReadStream('/no/such/file')
  const closed = new Promise<void>((resolve) => file.once('close', () => resolve()))

  app.use('things', { make: async () => file }, { methods: ['make'] })
  await expect(app.asClient().service('things').make({})).rejects.toThrow('an instance of ReadStream')
  await closed
})

function* toNumbers() {
  yield 1
}

async function* toLaterNumbers() {
  yield 1
}
