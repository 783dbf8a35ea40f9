// Faults in services whose path names a parent, where a proof did not make the call that shows them.
import { expect, it } from 'vitest'
import { type AccessRules, access, anyone, owner } from '../../../src/access.ts'
import { NotFound } from '../../../src/errors.ts'
import { MemoryService, memory } from '../../../src/memory.ts'
import { createApp, USERS } from '../../../test/access/support/application.ts'
import { type ProofOptions, proveExposure } from '../src/index.ts'

const ROOMS = 'houses/:house/rooms'
const LEAK = `${ROOMS}.find over rest as nobody: the path names another record of 'houses', and the response is 200`

interface Houses {
  readonly rooms: object
  readonly methods: string[]
  readonly rules?: AccessRules
  readonly houses?: object
}

const createRooms = () => ({ 3: { id: 3, houseId: 1, ownerId: 2 } })

/** What a proof says of houses with rooms; nothing where they are proved. */
async function prove(
  {
    rooms,
    methods,
    rules = { all: anyone },
    houses = memory({ store: { 1: { id: 1 }, 2: { id: 2 } } })
  }: Houses,
  options: ProofOptions = {}
): Promise<readonly string[]> {
  const app = createApp()

  app.use('houses', houses as MemoryService, { methods: ['get'], access: access({ get: anyone }) })
  app.use(ROOMS, rooms as MemoryService, { methods, parent: { houseId: 'houses' }, access: access(rules) })
  await app.setup()

  return await proveExposure(app, {
    log: false,
    ...options,
    records: { houses: 1, ...options.records }
  }).then(
    () => [],
    (error) => error.message.split('\n')
  )
}

/** Rooms of any house. */
class LeakyRooms extends MemoryService<any> {
  override async find(): Promise<any> {
    return await super.find({} as any)
  }
}

const toAdvice = (method: string) =>
  `${ROOMS}.${method}: without a record, nothing is proved of the path of another record of 'houses'. Give 'records: { '${ROOMS}': () => … }', which returns a record with 'houseId'`

it('without a record it is not proved that a list is that of its parent', async () => {
  expect(await prove({ rooms: new LeakyRooms({ store: createRooms() }), methods: ['find'] })).toEqual([
    toAdvice('find')
  ])
})

it('of a service without get, the record itself is given', async () => {
  const room = { id: 3, houseId: 1, ownerId: 2 }
  const createLeaky = () => Object.assign(new LeakyRooms({ store: createRooms() }), { get: undefined })
  const proveList = async (rooms: object, given: unknown) =>
    await prove({ rooms, methods: ['find'] }, { records: { [ROOMS]: given as number } })

  expect(await proveList(createLeaky(), 3)).toEqual([toAdvice('find')])
  expect(await proveList(createLeaky(), { id: 3 })).toEqual([toAdvice('find')])
  expect(await proveList(createLeaky(), () => room)).toEqual([LEAK])
  expect(
    await proveList({ find: async ({ route }: any) => (route.house === '1' ? [room] : []) }, room)
  ).toEqual([])
})

it('a failure of the server is no refusal of another parent', async () => {
  const find = async () => [{ id: 3, houseId: 1 }]

  // A custom service has to apply the query.
  expect(
    await prove({ rooms: { find }, methods: ['find'] }, { records: { [ROOMS]: { id: 3, houseId: 1 } } })
  ).toEqual([LEAK.replace('200', '500')])
})

it('who may see the record asks for it in the path of another parent', async () => {
  class OwnRooms extends MemoryService<any> {
    override async find({ user: { id } }: any): Promise<any> {
      return await super.find({ query: { ownerId: id } })
    }
  }
  const options = { users: { user: USERS[1], owner: USERS[2], admin: USERS[3] }, records: { [ROOMS]: 3 } }
  const rules = { find: owner('ownerId') }

  expect(
    await prove({ rooms: new OwnRooms({ store: createRooms() }), methods: ['find'], rules }, options)
  ).toEqual([LEAK.replace('nobody', 'owner')])
})

it.each([
  ['create', 201],
  ['clean', 200]
])('%s is called with a parent that is not there', async (method, status) => {
  const createService = () => Object.assign(memory(), { clean: async () => ({}) })
  const get = async (id: number) => {
    if (Number(id) > 2) throw new NotFound()

    return { id: Number(id) }
  }
  // Takes what it does not find for the first one.
  const first = { get: async (id: number) => await get(id).catch(() => ({ id: 1 })) }
  const methods = [method]

  expect(await prove({ rooms: createService(), methods, houses: { get } })).toEqual([])
  expect(await prove({ rooms: createService(), methods, houses: first })).toEqual([
    `${ROOMS}.${method} over rest as nobody: the path names a record of 'houses' that is not there, and the response is ${status}`
  ])
})

it('a parent without find has another record where one is made for each call', async () => {
  let last = 0
  const houses = { get: async (id: number) => ({ id: Number(id) }) }
  const rooms = { rooms: new LeakyRooms({ store: createRooms() }), methods: ['find'], houses }

  expect(await prove(rooms, { records: { [ROOMS]: 3 } })).toEqual([
    `${ROOMS}.find: 'houses' has no other record. Give 'records: { houses: () => … }', which makes a record for each call`
  ])
  expect(await prove(rooms, { records: { [ROOMS]: 3, houses: () => ++last + 7 } })).toEqual([LEAK])
})
