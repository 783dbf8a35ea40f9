// What a hook or a schema keeps from clients could leave with a `toJSON` that returns the fields of the original.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { protect } from '../../src/authentication.ts'
import { getResponse } from '../../src/core/call.ts'
import { toEventData } from '../../src/core/publish.ts'
import { alula, createContext } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

const SECRET = 'sentinel-4711'

class Fields {
  constructor(fields: object) {
    Object.assign(this, fields)
  }
}

class Bound extends Fields {
  toJSON = () => ({ ...this })
}

class Copied extends Fields {
  toJSON(): object {
    return new Copied(this)
  }
}

class Unchanged extends Fields {
  toJSON(): this {
    return this
  }
}

class Wrapper {
  readonly #fields: object

  constructor(fields: object) {
    this.#fields = fields
  }

  toJSON(): object {
    return this.#fields
  }
}

const PLACES: readonly [place: string, wrap: (fields: object, Class: typeof Fields) => object][] = [
  ['itself', (fields, Class) => new Class(fields)],
  ['twice', (fields, Class) => new Class({ a: new Class(fields) })],
  ['in another one', (fields, Class) => new Class({ a: fields })],
  ['below a name', (fields, Class) => ({ a: new Class(fields) })],
  ['in a list', (fields, Class) => [new Class(fields)]]
]

const cases = [Bound, Copied, Unchanged, Wrapper].flatMap((Class) =>
  PLACES.map(([place, wrap]) => ({
    kind: Class.name,
    place,
    make: () => wrap({ id: 1, name: 'Ada', password: SECRET }, Class)
  }))
)

/** An application whose events are seen as JSON, and its errors. */
function observe(): { readonly app: any; readonly left: string[]; readonly errors: unknown[] } {
  const app: any = alula()
  const left: string[] = []
  const errors: unknown[] = []

  app.on('error', (error: Error) => void errors.push(error.message))
  app.publish(() => app.channel('all'))
  app.channel('all').join({})
  app.on('publish', (_event: string, _channel: unknown, context: any, data: unknown) => {
    left.push(JSON.stringify(toEventData(context, data)))
  })

  return { app, left, errors }
}

async function call(app: any, method: string, args: readonly unknown[]): Promise<string> {
  const service = app.service('users')
  const context = createContext(service, method)

  await service[method](...args, { provider: 'rest' }, context)

  return JSON.stringify(getResponse(context))
}

function expectName(left: readonly string[], count: number): void {
  expect(left).toHaveLength(count)
  for (const text of left) {
    expect(text).toContain('"name":"Ada"')
    expect(text).not.toContain(SECRET)
  }
}

describe('a field of an object with a toJSON', () => {
  it.each(cases)('does not leave where a hook protects it: $kind, $place', async ({ make }) => {
    const { app, left, errors } = observe()
    const service = { get: async () => make(), create: async () => make() }

    app.use('users', service, { events: ['shown'] })
    app.service('users').hooks({ after: { all: [protect('password', 'a.password', 'a.a.password')] } })

    left.push(await call(app, 'get', [1]), await call(app, 'create', [{}]))
    await app.service('users').create({})
    for (const event of ['created', 'shown']) app.service('users').emit(event, make())

    expect(errors).toEqual([])
    expectName(left, 6)
  })

  it.each(['drop', 'keep'] as const)(
    'does not leave where a schema hides it and %ss others',
    async (extra) => {
      for (const { make } of cases) {
        const { app, left, errors } = observe()
        const service = { get: async () => make(), create: async () => make() }
        const User = z.object({
          ...{ id: z.int().optional(), name: z.string().optional(), password: z.string().optional() },
          a: z.any()
        })

        app.use('users', service, {
          events: ['shown'],
          schema: schema(User, {
            extra,
            hidden: ['password', 'a.password', 'a.a.password'],
            computed: { upper: { from: ['name'], many: async (all) => all.map(() => 'ADA') } }
          })
        })

        left.push(await call(app, 'get', [1]))
        expect(left[0]).toContain('"upper":"ADA"')
        await app.service('users').create({ a: 1 })
        for (const event of ['created', 'shown']) app.service('users').emit(event, make())

        expect(errors).toEqual([])
        expectName(left, 4)
      }
    }
  )
})

describe('a field that another service hides', () => {
  it.each([['user.name'], ['name']])('does not leave where a hook protects %s beside it', async (path) => {
    const { app, left, errors } = observe()
    const User = z.object({ id: z.int(), name: z.string(), city: z.string(), password: z.string() })
    const store = { 1: { id: 1, name: 'Ada', city: 'Rome', password: SECRET } }
    const load = async () => await app.service('owners').get(1)

    app.use('owners', memory({ store }), { schema: schema(User, { hidden: ['password'] }) })
    app.use('users', {
      get: async () => ({ user: await load() }),
      find: async () => [new Wrapper(await load())],
      create: async () => ({ user: [await load()] })
    })
    app.service('users').hooks({ after: { all: [protect(path)] } })

    left.push(await call(app, 'get', [1]), await call(app, 'find', []), await call(app, 'create', [{}]))
    app.service('users').emit('created', { user: await load() })
    app.service('users').emit('created', new Wrapper(await load()))

    expect(errors).toEqual([])
    expect(left).toHaveLength(6)
    for (const text of left) {
      expect(text).toContain('"city":"Rome"')
      expect(text).not.toContain(SECRET)
    }
  })
})
