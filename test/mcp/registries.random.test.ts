import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { access, anyone, exposure, owner, role, user } from '../../src/access.ts'
import type { Application } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { many, one, schema } from '../../src/schema.ts'
import { addAuthentication } from '../support/login.ts'
import { scaled } from '../support/scale.ts'
import { createApp, getToken } from './support/application.ts'
import { post } from './support/clients.ts'

const SENTINEL = 'SENTINEL'
const METHODS = ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive']
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

const USERS = {
  1: { id: 1, name: 'ada', password: SENTINEL },
  2: { id: 2, name: 'grace', password: SENTINEL },
  3: { id: 3, name: 'root', role: 'admin', password: SENTINEL }
}

const User = z.object({
  id: z.int(),
  name: z.string(),
  role: z.string().optional(),
  password: z.string().optional()
})

const Note = z.object({
  id: z.int(),
  text: z.string(),
  state: z.enum(['open', 'done']),
  ownerId: z.int(),
  key: z.string().optional(),
  place: z.object({ city: z.string(), code: z.string().optional() }).optional()
})

/** A record with what must not leave, in fields that are hidden and in some that nothing declares. */
const toRecord = (id: number) => ({
  ...{ id, text: 'a', state: 'open', ownerId: (id % 2) + 1, key: SENTINEL, undeclared: SENTINEL },
  place: { city: 'b', code: SENTINEL, undeclared: { deep: SENTINEL } }
})

const rule = fc.constantFrom(anyone, user, role('admin'), owner('ownerId'), undefined)

const registry = fc.record({
  rules: fc.tuple(...METHODS.map(() => rule)),
  methods: fc.subarray(METHODS, { minLength: 1 }),
  isMulti: fc.boolean(),
  hasPages: fc.boolean(),
  hasEnvelope: fc.boolean(),
  include: fc.boolean(),
  unknown: fc.constantFrom('refuse' as const, 'drop' as const),
  style: fc.constantFrom('each' as const, 'few' as const)
})

type Registry = typeof registry extends fc.Arbitrary<infer Value> ? Value : never

const field = fc.constantFrom(
  'id',
  'text',
  'ownerId',
  'key',
  'place',
  'place.code',
  'undeclared',
  'author',
  'author.password',
  '$or',
  '__proto__',
  'constructor'
)
const value = fc.oneof(
  fc.constantFrom<unknown>(1, 'a', null, '', true),
  fc.dictionary(
    fc.constantFrom('$ne', '$gt', '$in', '$where', 'x'),
    fc.constantFrom<unknown>(1, 'a', [1], null)
  )
)

/** Arguments that nobody should send. */
const hostile = fc.record(
  {
    id: fc.constantFrom<unknown>(1, '1', null, 'x', { $ne: 0 }, [1]),
    data: fc.oneof(
      fc.dictionary(field, value, { maxKeys: 3 }),
      fc.array(fc.dictionary(field, value, { maxKeys: 2 }), { maxLength: 2 })
    ),
    query: fc.oneof(
      fc.dictionary(field, value, { maxKeys: 3 }),
      fc.record(
        {
          $select: fc.array(field),
          $sort: fc.dictionary(field, fc.constantFrom(1, -1)),
          $include: fc.array(field)
        },
        { requiredKeys: [] }
      )
    )
  },
  { requiredKeys: [] }
)

function configure(
  app: Application,
  { rules, methods, isMulti, hasPages, hasEnvelope, include, unknown }: Registry
): void {
  const named = METHODS.map((name, index) => [name, rules[index]] as const)
    .filter(([name, given]) => methods.includes(name) && given !== undefined)
    .map(([name, given]) => [name, name === 'archive' ? user : given])
  const store = Object.fromEntries([1, 2, 3, 4].map((id) => [id, toRecord(id)]))
  const service = Object.assign(
    memory({ store, multi: isMulti, ...(hasPages && { paginate: { default: 2, max: 3 } }) } as any),
    {
      archive: async () => toRecord(1)
    }
  )

  addAuthentication(app)
  app.use('users', memory({ store: structuredClone(USERS) } as any), {
    methods: ['get'],
    schema: schema(User, { hidden: ['password'], relations: { notes: many('notes', { to: 'ownerId' }) } }),
    access: access({ get: user, find: user })
  })
  app.use('notes', service, {
    methods,
    schema: schema(Note, {
      hidden: ['key', 'place.code'],
      relations: { author: one('users', { from: 'ownerId' }) },
      ...(include && { include: ['author'] }),
      ...(hasEnvelope && { envelope: { one: 'note', many: 'notes' } }),
      unknown,
      ...(methods.includes('archive') && { methods: { archive: { result: Note } } })
    }),
    access: access({
      ...Object.fromEntries(named),
      ...(named.length === 0 && { find: role('admin') })
    } as any)
  })
  // Not declared, so that no tool reaches it.
  app.use('secrets', memory({ store: { 1: { id: 1, text: SENTINEL } } } as any))
}

/** What callers may see of the table of access. */
function listExpected(app: Application, id: number | undefined): string[] {
  return exposure(app)
    .filter(
      ({ transports, who }) =>
        transports.includes('mcp') && (id === 3 || id === undefined || who !== "role('admin')")
    )
    .map(({ service, method }) => `${service}_${method}`)
}

it(`nothing leaves that is hidden or not declared, and no tool is there that should not be, by the seed ${seed}`, async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)

  await fc.assert(
    fc.asyncProperty(registry, fc.array(hostile, { minLength: 2, maxLength: 4 }), async (one, attacks) => {
      const app = await createApp({ anonymous: true, confirm: false, style: one.style }, (given) =>
        configure(given, one)
      )
      const isFew = one.style === 'few'

      for (const id of [undefined, 1, 2, 3]) {
        const token = id === undefined ? undefined : await getToken(app, id)
        const send = async (name: string, args: object) => {
          const params = isFew
            ? { name: 'call', arguments: { tool: name, arguments: args } }
            : { name, arguments: args }
          const { body, response } = await post(app, 'tools/call', params, token ? { token } : {})

          expect(JSON.stringify(body)).not.toContain(SENTINEL)
          expect(response.status).toBeLessThan(500)

          return body
        }
        const listed = isFew
          ? (
              await post(app, 'tools/call', { name: 'list' }, token ? { token } : {})
            ).body.result.content[0].text
              .split('\n')
              .filter(Boolean)
              .map((line: string) => line.split(':')[0])
          : (await post(app, 'tools/list', {}, token ? { token } : {})).body.result.tools.map(
              ({ name }: any) => name
            )

        expect(listed).toEqual(listExpected(app, id))
        expect((await send('secrets_find', {})).error.message).toMatch(/^Unknown tool/)

        for (const name of listed) {
          const record = { text: 'b', state: 'open', ownerId: 1 }

          await send(name, { id: 1, data: one.hasEnvelope ? { note: record } : record })
          for (const args of attacks) await send(name, args)
        }

        const closed = METHODS.map((name) => `notes_${name}`).filter(
          (name) => !listExpected(app, 3).includes(name)
        )

        for (const name of closed)
          expect((await send(name, { id: 1 })).error.message).toMatch(/^Unknown tool/)
      }

      await app.teardown()
    }),
    { numRuns: scaled(1000), seed }
  )
  emitWarning.mockRestore()
})
