import { expect, it } from 'vitest'
import { type MemoryOptions, memory } from '../../src/memory.ts'
import {
  describeKindsOfTransport,
  describeTransports,
  type OpenTransport,
  type TransportClient
} from '../support/transports.ts'

// What a client can ask of a service with a database behind it. Every value of a URL is a string.

const PEOPLE = [
  { id: 1, name: 'Ada', city: 'London', born: '1815' },
  { id: 2, name: 'Bob', city: 'Bonn', born: '1990' },
  { id: 3, name: 'Cleo', city: 'Cairo', born: null },
  { id: 4, name: 'Dan', city: 'Bonn', born: '1985' }
]

/** A transport to a service with four people. */
const openPeople = (open: OpenTransport, options: MemoryOptions = {}): Promise<TransportClient> =>
  open((app) => {
    app.use(
      'people',
      memory({ store: Object.fromEntries(PEOPLE.map((person) => [person.id, person])), ...options })
    )
  })

const join = (count: number, toPair: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => toPair(index)).join('&')

describeKindsOfTransport('find', (open) => {
  const namesWith =
    (client: TransportClient) =>
    async (query: string): Promise<string> =>
      (await client.call('find', 'people', { query })).map(({ name }: any) => name).join(' ')

  it('without a query gives all records as a list', async () => {
    const client = await openPeople(open)

    expect(await client.call('find', 'people')).toEqual(PEOPLE)
  })

  it('filters by equality; a string finds the number that is written so', async () => {
    const names = namesWith(await openPeople(open))

    expect(await names('city=Bonn')).toBe('Bob Dan')
    expect(await names('city=Bonn&name=Dan')).toBe('Dan')
    expect(await names('city=Nowhere')).toBe('')
    expect(await names('nothing=1')).toBe('')
    expect(await names('id=1')).toBe('Ada')
    expect(await names('id=01')).toBe('')
  })

  it('refuses an empty value that would be lost', async () => {
    const client = await openPeople(open, { multi: true })

    for (const query of ['born[$gt]=1900&born=', 'born[$gt]=1900&born', '$or[0][name]=Ada&$or=']) {
      await expect(client.call('find', 'people', { query })).rejects.toMatchObject({ code: 400 })
      await expect(client.call('remove', 'people', { id: null, query })).rejects.toMatchObject({ code: 400 })
    }
  })

  it('filters by operators', async () => {
    const names = namesWith(await openPeople(open))

    expect(await names('name[$eq]=Ada')).toBe('Ada')
    expect(await names('city[$ne]=Bonn')).toBe('Ada Cleo')
    expect(await names('born[$lt]=1985')).toBe('Ada')
    expect(await names('born[$lte]=1985')).toBe('Ada Dan')
    expect(await names('born[$le]=1985')).toBe('Ada Dan')
    expect(await names('born[$gt]=1985')).toBe('Bob')
    expect(await names('born[$gte]=1985')).toBe('Bob Dan')
    expect(await names('born[$ge]=1985')).toBe('Bob Dan')
    expect(await names('born[$gt]=1900&born[$lt]=1990')).toBe('Dan')
    expect(await names('name[$in]=Ada&name[$in]=Dan')).toBe('Ada Dan')
    expect(await names('name[$nin][]=Ada&name[$nin][]=Dan')).toBe('Bob Cleo')
    expect(await names('born[$ne]=1815')).toBe('Bob Cleo Dan')
  })

  it('combines conditions', async () => {
    const names = namesWith(await openPeople(open))

    expect(await names('$or[0][name]=Ada&$or[1][city]=Bonn')).toBe('Ada Bob Dan')
    expect(await names('$or[0][name]=Ada&$or[1][name]=Bob&city=Bonn')).toBe('Bob')
    expect(await names('$and[0][city]=Bonn&$and[1][name]=Bob')).toBe('Bob')
    expect(await names('$and[0][$or][0][name]=Ada&$and[0][$or][1][name]=Bob&$and[1][city][$ne]=Bonn')).toBe(
      'Ada'
    )
  })

  it('takes an $in of 200 values in each of the three notations', async () => {
    const names = namesWith(await openPeople(open))
    const value = (index: number) => (index === 150 ? 'Ada' : index === 199 ? 'Dan' : `nobody${index}`)

    expect(await names(join(200, (index) => `name[$in]=${value(index)}`))).toBe('Ada Dan')
    expect(await names(join(200, (index) => `name[$in][]=${value(index)}`))).toBe('Ada Dan')
    expect(await names(join(200, (index) => `name[$in][${index}]=${value(index)}`))).toBe('Ada Dan')
    expect(await names(join(200, (index) => `name[$nin][${index}]=${value(index)}`))).toBe('Bob Cleo')
  })

  it('takes an $or of 50 clauses', async () => {
    const names = namesWith(await openPeople(open))
    const value = (index: number) => (index === 49 ? 'Cleo' : `nobody${index}`)

    expect(await names(join(50, (index) => `$or[${index}][name]=${value(index)}`))).toBe('Cleo')
    expect(await names(join(50, (index) => `$or[${index}][name][$in][]=${value(index)}`))).toBe('Cleo')
  })

  it('sorts by one field and by two', async () => {
    const names = namesWith(await openPeople(open))

    expect(await names('$sort[name]=-1')).toBe('Dan Cleo Bob Ada')
    expect(await names('$sort[city]=1&$sort[name]=-1')).toBe('Dan Bob Cleo Ada')
    expect(await names('$sort[city]=-1&$sort[born]=1')).toBe('Ada Cleo Dan Bob')
    expect(await names('$sort[born]=1')).toBe('Cleo Ada Dan Bob')
  })

  it('limits and skips', async () => {
    const names = namesWith(await openPeople(open))

    expect(await names('$limit=2')).toBe('Ada Bob')
    expect(await names('$skip=3')).toBe('Dan')
    expect(await names('$sort[name]=-1&$limit=1&$skip=1')).toBe('Cleo')
    expect(await names('$limit=0')).toBe('')
    expect(await names('$skip=99')).toBe('')
  })

  it('selects fields, named once or repeatedly, and keeps the id', async () => {
    const client = await openPeople(open)
    const first = async (query: string) => (await client.call('find', 'people', { query }))[0]

    expect(await first('$select=name')).toEqual({ id: 1, name: 'Ada' })
    expect(await first('$select[]=name')).toEqual({ id: 1, name: 'Ada' })
    expect(await first('$select[]=name&$select[]=city')).toEqual({ id: 1, name: 'Ada', city: 'London' })
    expect(await first('$select=name&$select=city')).toEqual({ id: 1, name: 'Ada', city: 'London' })
    expect(await first('$select[0]=name&$select[1]=nothing')).toEqual({ id: 1, name: 'Ada' })
  })

  it('gives pages when there is a default, up to the maximum', async () => {
    const client = await openPeople(open, { paginate: { default: 2, max: 3 } })
    const page = (query?: string) => client.call('find', 'people', query === undefined ? {} : { query })

    expect(await page()).toEqual({ total: 4, limit: 2, skip: 0, data: PEOPLE.slice(0, 2) })
    expect(await page('$limit=1&$skip=1')).toEqual({ total: 4, limit: 1, skip: 1, data: [PEOPLE[1]] })
    expect(await page('$limit=1000')).toEqual({ total: 4, limit: 3, skip: 0, data: PEOPLE.slice(0, 3) })
    expect(await page('$limit=0')).toEqual({ total: 4, limit: 0, skip: 0, data: [] })
    expect(await page('city=Bonn&$limit=1')).toEqual({ total: 2, limit: 1, skip: 0, data: [PEOPLE[1]] })
  })

  it('keeps its pages whatever a client says', async () => {
    const client = await openPeople(open, { paginate: { default: 1, max: 2 } })

    for (const query of [
      'paginate=false',
      'paginate[default]=100',
      'adapter[paginate]=false',
      'multi=true'
    ]) {
      const answer = await client.call('find', 'people', { query }).catch(({ code }) => code)

      // An ordinary field that no person has, or a query that is no query.
      if (answer !== 400) expect(answer).toMatchObject({ limit: 1, data: [] })
    }

    for (const query of [
      '$limit=-1',
      '$limit=',
      '$limit=NaN',
      '$limit=Infinity',
      '$limit[]=9',
      '$paginate=false'
    ]) {
      await expect(client.call('find', 'people', { query })).rejects.toMatchObject({ code: 400 })
    }

    expect((await client.call('find', 'people', { query: '$limit=9999999' })).data).toHaveLength(2)
  })
})

describeKindsOfTransport('one record', (open) => {
  it('is read, replaced, changed and removed by its id', async () => {
    const client = await openPeople(open)

    expect(await client.call('get', 'people', { id: 1 })).toEqual(PEOPLE[0])
    expect(await client.call('get', 'people', { id: 1, query: '$select[]=city' })).toEqual({
      id: 1,
      city: 'London'
    })
    expect(await client.call('patch', 'people', { id: 1, data: { city: 'Rome' } })).toEqual({
      ...PEOPLE[0],
      city: 'Rome'
    })
    expect(await client.call('update', 'people', { id: 1, data: { name: 'A' } })).toEqual({
      id: 1,
      name: 'A'
    })
    expect(await client.call('remove', 'people', { id: 1 })).toEqual({ id: 1, name: 'A' })
    expect(await client.call('find', 'people')).toHaveLength(3)
  })

  it('is created with an id of the server or of the client', async () => {
    const client = await openPeople(open)
    const create = (data: object, query?: string) =>
      client.call('create', 'people', { data, ...(query !== undefined && { query }) })

    expect(await create({ name: 'Eve' })).toEqual({ id: 0, name: 'Eve' })
    expect(await create({ id: 'f', name: 'Fay' })).toEqual({ id: 'f', name: 'Fay' })
    expect(await create({ name: 'Gus', city: 'Gent' }, '$select[]=name')).toEqual({ id: 5, name: 'Gus' })
  })

  it('with an id that is taken is a 409, and changes nothing', async () => {
    const client = await openPeople(open)

    for (const id of [1, '1']) {
      await expect(client.call('create', 'people', { data: { id, name: 'Eve' } })).rejects.toMatchObject({
        name: 'Conflict',
        code: 409
      })
    }

    expect(await client.call('find', 'people')).toEqual(PEOPLE)
  })

  it('that is not there is a 404', async () => {
    const client = await openPeople(open, { multi: true })

    for (const id of ['9', 'nobody', '1.0', '__proto__', 'constructor', 'toString', ' ', '%00']) {
      for (const method of ['get', 'update', 'patch', 'remove']) {
        const data = ['update', 'patch'].includes(method) ? { a: 1 } : undefined

        await expect(client.call(method, 'people', { id, data })).rejects.toMatchObject({
          name: 'NotFound',
          code: 404,
          message: `No record found for id '${id}'`
        })
      }
    }

    expect(await client.call('find', 'people')).toEqual(PEOPLE)
  })

  it('that does not match the query is a 404 too', async () => {
    const client = await openPeople(open)

    for (const method of ['get', 'update', 'patch', 'remove']) {
      const data = ['update', 'patch'].includes(method) ? { a: 1 } : undefined

      await expect(client.call(method, 'people', { id: 1, data, query: 'city=Bonn' })).rejects.toMatchObject({
        code: 404
      })
    }

    expect(
      await client.call('patch', 'people', { id: 1, data: { a: 1 }, query: 'city=London' })
    ).toMatchObject({
      a: 1
    })
  })

  it('keeps its id, whatever the data say', async () => {
    const client = await openPeople(open)

    expect(await client.call('patch', 'people', { id: 1, data: { id: 2 } })).toEqual(PEOPLE[0])
    expect(await client.call('update', 'people', { id: 1, data: { id: 9, name: 'A' } })).toEqual({
      id: 1,
      name: 'A'
    })
    expect(await client.call('find', 'people', { query: 'name=Bob' })).toEqual([PEOPLE[1]])
  })
})

describeKindsOfTransport('several records', (open) => {
  it('are a 405 unless `multi` allows it, and nothing is changed', async () => {
    const client = await openPeople(open)
    const refused = { name: 'MethodNotAllowed', code: 405 }

    await expect(client.call('create', 'people', { data: [{ name: 'Eve' }] })).rejects.toMatchObject(refused)
    await expect(client.call('create', 'people', { data: [] })).rejects.toMatchObject(refused)
    await expect(client.call('patch', 'people', { id: null, data: { a: 1 } })).rejects.toMatchObject(refused)
    await expect(client.call('remove', 'people', { id: null })).rejects.toMatchObject(refused)
    expect(await client.call('find', 'people')).toEqual(PEOPLE)
  })

  it('follow a list of methods', async () => {
    const client = await openPeople(open, { multi: ['remove', 'create'] })

    expect(await client.call('create', 'people', { data: [{ name: 'Eve' }] })).toHaveLength(1)
    await expect(client.call('patch', 'people', { id: null, data: {} })).rejects.toMatchObject({ code: 405 })
    expect(await client.call('remove', 'people', { id: null })).toHaveLength(5)
  })

  it('are created, changed and removed where `multi` allows it', async () => {
    const client = await openPeople(open, { multi: true, paginate: { default: 1, max: 1 } })

    expect(await client.call('create', 'people', { data: [{ name: 'Eve' }, { name: 'Fay' }] })).toEqual([
      { id: 0, name: 'Eve' },
      { id: 5, name: 'Fay' }
    ])

    // Pages are for find alone.
    expect(
      await client.call('patch', 'people', { id: null, data: { city: 'Köln' }, query: 'city=Bonn&$limit=1' })
    ).toEqual([
      { ...PEOPLE[1], city: 'Köln' },
      { ...PEOPLE[3], city: 'Köln' }
    ])
    expect(await client.call('remove', 'people', { id: null, query: 'city=Köln&$select=name' })).toEqual([
      { id: 2, name: 'Bob' },
      { id: 4, name: 'Dan' }
    ])
    expect(await client.call('remove', 'people', { id: null, query: 'city=Bonn' })).toEqual([])
    expect(await client.call('find', 'people')).toMatchObject({ total: 4 })
  })

  it('are never replaced: no id and a list are a 400', async () => {
    const client = await openPeople(open, { multi: true })

    for (const [id, data] of [
      [null, { a: 1 }],
      [1, [{ a: 1 }]],
      [null, [{ a: 1 }]]
    ] as const) {
      await expect(client.call('update', 'people', { id, data, query: 'city=Bonn' })).rejects.toMatchObject({
        name: 'BadRequest',
        code: 400
      })
    }

    expect(await client.call('find', 'people')).toEqual(PEOPLE)
  })

  it('are not touched when the query is malformed', async () => {
    const client = await openPeople(open, { multi: true })

    for (const query of ['$where=1', 'name[$regex]=.', 'name[$in]=Ada', '$or=1', 'name[]=Ada']) {
      await expectRefused(client, query)
    }

    expect(await client.call('find', 'people')).toEqual(PEOPLE)
  })
})

const MALFORMED: [query: string, message: string][] = [
  ['$where=1', 'Invalid query parameter $where'],
  ['$or[0][name][$exists]=1', 'Invalid query parameter $exists'],
  ['$or[]=Ada', "Invalid query: '$or' expects a query, got a string"],
  ['name[$in]=Ada', "Invalid query: '$in' expects an array, got a string"],
  ['name=Ada&name=Bob', "Invalid query: 'name' expects a single value, got an array"],
  [
    'name[first]=Ada',
    "Invalid query: 'name' expects a value or operators. For a nested field use 'name.first'"
  ],
  ['$limit=-1', 'Invalid query: \'$limit\' expects a whole number from 0, got "-1"'],
  ['$skip=1.5', 'Invalid query: \'$skip\' expects a whole number from 0, got "1.5"'],
  ['$limit=many', "Invalid query: '$limit' expects a whole number from 0, got a string"],
  ['$sort[name]=up', "Invalid query: '$sort' expects 1 or -1 for 'name'"]
]

describeTransports('a malformed query', (open) => {
  it('is a 400 that says why', async () => {
    const client = await openPeople(open)

    for (const [query, message] of MALFORMED) {
      await expect(client.call('find', 'people', { query }), query).rejects.toMatchObject({
        name: 'BadRequest',
        code: 400,
        message
      })
      await expect(client.call('get', 'people', { id: 1, query }), query).rejects.toMatchObject({ code: 400 })
      await expect(client.call('create', 'people', { data: {}, query }), query).rejects.toMatchObject({
        code: 400
      })
    }

    expect(await client.call('find', 'people')).toEqual(PEOPLE)
  })
})

/** Several records are neither removed nor changed. */
async function expectRefused(client: TransportClient, query: string | object): Promise<void> {
  for (const [method, data] of [
    ['remove', undefined],
    ['patch', { a: 1 }]
  ] as const) {
    await expect(client.call(method, 'people', { id: null, data, query })).rejects.toMatchObject({
      code: 400
    })
  }
}
