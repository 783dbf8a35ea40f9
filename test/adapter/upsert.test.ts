import { expect, it } from 'vitest'
import { implementService } from '../../src/adapter.ts'
import { Conflict, Forbidden, GeneralError } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { MemoryAdapter, MemoryService, memory } from '../../src/memory.ts'

const by = ['email']

it.each([
  [{ upsert: true }, /option 'upsert' of MemoryService: expected an object such as \{ by: \['email'\] \}/],
  [{ upsert: {} }, /option 'upsert.by' of MemoryService: expected an array of names/],
  [{ upsert: { by: 'email' } }, /upsert\.by/],
  [{ upsert: { by: [] } }, /upsert\.by/],
  [{ upsert: { by: ['a', 'a'] } }, /upsert\.by/],
  [{ upsert: { by: [''] } }, /upsert\.by/],
  [{ upsert: { by: ['a.b'] } }, /upsert\.by/],
  [{ upsert: { by: ['$or'] } }, /upsert\.by/],
  [{ upsert: { by: ['a'], key: 1 } }, /Unknown option 'upsert\.key' of MemoryService/]
])('the option %j is refused', (options, message) => {
  expect(() => memory(options as any)).toThrow(message)
})

it('a service without the option has no such method, and its application refuses to list it', () => {
  const app = alula<any>()

  expect(() => app.use('users', memory(), { methods: ['find', 'upsert'] })).toThrow(
    "'upsert' is not a function, and the option 'methods' names it"
  )
})

it('a class may have its own, and call that of the library', async () => {
  class Users extends MemoryService {
    override async upsert(data: any, params?: any) {
      return await super.upsert({ ...data, email: data.email.trim() }, params)
    }
  }
  class Own extends MemoryAdapter {
    async upsert() {
      return 'own'
    }
  }

  implementService(Own)

  const app = alula<any>()

  app.use('users', new Users({ upsert: { by } }), { methods: ['find', 'upsert'] })
  await app.service('users').upsert({ email: ' a ' })
  await app.service('users').upsert({ email: 'a  ', age: 1 })
  expect(await app.service('users').find()).toEqual([{ id: 0, email: 'a', age: 1 }])
  expect(await new Own().upsert()).toBe('own')
})

it('records that are there may not share a key', () => {
  const store = [
    { id: 1, email: 'a' },
    { id: 2, email: 'a' }
  ]

  expect(() => memory({ store, upsert: { by } })).toThrow("A record with the same 'email' exists already")
})

it('a key may be a number, a boolean or a date', async () => {
  const users = memory({ upsert: { by: ['at', 'flag', 'rank'] } })
  const key = (at: number, flag = true, rank = 1) => ({ at: new Date(at), flag, rank })

  for (const data of [key(1), key(2), key(1), key(1, false), key(1, true, 2), key(1, false, 1)]) {
    await users.upsert(data)
  }
  expect(await users.find()).toHaveLength(4)
})

it('a key may be an instance of a class, such as an id of a database', async () => {
  class ObjectId {
    readonly hex: string

    constructor(hex: string) {
      this.hex = hex
    }

    equals(other: unknown) {
      return other instanceof ObjectId && other.hex === this.hex
    }

    toString() {
      return this.hex
    }
  }

  for (const fields of [
    ['owner', 'at'],
    ['at', 'owner']
  ]) {
    const visits = memory({ multi: true, upsert: { by: fields } })
    const key = (hex: string) => ({ owner: new ObjectId(hex), at: new Date(0) })

    // Each looks for the record before the other has created it.
    await Promise.all([visits.upsert(key('a')), visits.upsert(key('a'))])
    await visits.create(key('b'))
    expect(await visits.find()).toHaveLength(2)
    await expect(visits.create(key('a'))).rejects.toMatchObject({ code: 409 })
  }
})

it('a new key is not compared with each of the records that share a part of it', async () => {
  let read = 0

  class Code {
    readonly digits: string

    constructor(digits: string) {
      this.digits = digits
    }

    toString() {
      read++

      return this.digits
    }
  }

  const codes = memory({ multi: true, upsert: { by: ['team', 'code'] } })
  const toRecords = (from: number) =>
    Array.from({ length: 100 }, (_, index) => ({ team: 1, code: new Code(String(from + index)) }))

  await codes.create(toRecords(0))
  read = 0
  await codes.create(toRecords(100))
  // Once where it is checked, and once where it is stored.
  expect(read).toBe(200)

  await expect(codes.create(toRecords(199))).rejects.toMatchObject({ code: 409 })
  await expect(codes.patch(7, { code: new Code('8') })).rejects.toMatchObject({ code: 409 })
  await codes.remove(8)
  await codes.patch(7, { code: new Code('8') })
  await codes.create({ team: 1, code: new Code('7') })
  await codes.create({ team: 2, code: new Code('7') })
})

it('an internal call gets the errors of hooks as they are', async () => {
  const app = alula<any>()
  const users = app.use('users', memory({ upsert: { by } })).service('users')

  await users.create({ email: 'a' })
  for (const error of [new Forbidden('locked'), new Conflict('other'), new GeneralError('broken')]) {
    const fail = () => {
      throw error
    }

    app.unuse('users')
    app.use('users', memory({ store: [{ id: 1, email: 'a' }], upsert: { by } }))
    app.service('users').hooks({ before: { patch: [fail] } })
    await expect(app.service('users').upsert({ email: 'a' })).rejects.toBe(error)
  }
})

it('a record that comes and goes again ends as an error, after ten attempts', async () => {
  const app = alula<any>()
  let attempts = 0

  app.use('users', memory({ upsert: { by } }))

  const users = app.service('users')

  users.hooks({
    before: {
      // What creates it is removed before it can be patched, each time.
      create: [
        async () => {
          attempts++
          await users._create({ email: 'a' })
        }
      ],
      patch: [
        async ({ id }: any) => {
          attempts++
          await users._remove(id)
        }
      ]
    }
  })
  await expect(users.upsert({ email: 'a' })).rejects.toMatchObject({ code: 503 })
  expect(attempts).toBe(10)
})

it('a hook of patch that passes its params on is not held to the key', async () => {
  const app = alula<any>()

  app.use(
    'users',
    memory({
      store: [
        { id: 1, email: 'a' },
        { id: 2, email: 'b' }
      ],
      upsert: { by }
    })
  )

  const users = app.service('users')

  users.hooks({
    before: {
      patch: [
        async ({ id, params }: any) => {
          if (id === 1) await users.patch(2, { seen: true }, params)
        }
      ]
    }
  })
  await users.upsert({ email: 'a', age: 1 })
  expect(await users.find()).toEqual([
    { id: 1, email: 'a', age: 1 },
    { id: 2, email: 'b', seen: true }
  ])
})

it('a key that a hook of create changes to one that is taken is a conflict', async () => {
  const app = alula<any>()
  let attempts = 0

  app.use('users', memory({ store: [{ id: 1, email: 'a' }], upsert: { by } }))
  app.service('users').hooks({
    before: {
      create: [
        ({ data }: any) => {
          attempts++
          data.email = data.email.toLowerCase()
        }
      ]
    }
  })
  await expect(app.service('users').upsert({ email: 'A' })).rejects.toMatchObject({ code: 409 })
  expect(attempts).toBe(5)
  expect(await app.service('users').find()).toEqual([{ id: 1, email: 'a' }])
})
