import * as official from '@feathersjs/adapter-commons'
import errors from '@feathersjs/errors'
import { expect, it } from 'vitest'
import * as ours from '../../src/adapter.ts'
import { alula } from '../../src/index.ts'
import { describeTransports } from '../support/transports.ts'

// An adapter as people have written them for Feathers v5: it reads the loose query itself, and has the public
// methods in its own service class. It does not change; only where it takes its base from does.

const { MethodNotAllowed, NotFound } = errors

const COMPARISONS: { [operator: string]: (field: any, value: any) => boolean } = {
  $ne: (field, value) => field !== value,
  $gt: (field, value) => field > value,
  $lte: (field, value) => field <= value,
  $in: (field, value) => value.includes(field),
  $like: (field, value) => field.includes(value)
}

function matches(query: any, record: any): boolean {
  return Object.entries(query).every(([name, value]: [string, any]) => {
    if (name === '$or') return value.some((part: any) => matches(part, record))
    if (typeof value !== 'object' || value === null) return record[name] === value

    return Object.keys(value).every((operator) => COMPARISONS[operator]?.(record[name], value[operator]))
  })
}

function createArrayService(commons: any, options: object): any {
  const { AdapterBase, filterQuery, select, sorter } = commons

  class ArrayAdapter extends AdapterBase {
    records: any[] = []

    constructor(options: any) {
      super({ id: '_id', ...options })
    }

    split(params: any = {}) {
      const { operators, filters, paginate } = this.getOptions(params)
      const split = filterQuery(params.query, { operators, filters, paginate })
      const { $or, ...rest } = split.filters

      return { filters: rest, query: { ...split.query, ...($or && { $or }) } }
    }

    async _find(params: any = {}): Promise<any> {
      const { paginate } = this.getOptions(params)
      const { filters, query } = this.split(params)
      const { $sort, $skip = 0, $limit } = filters
      const found = this.records.filter((record: any) => matches(query, record))

      if ($sort) found.sort(sorter($sort))

      const data = found
        .slice($skip, $limit === undefined ? undefined : $skip + $limit)
        .map(select(params, this.id))

      return paginate?.default ? { total: found.length, limit: $limit, skip: $skip, data } : data
    }

    async _get(id: any, params: any = {}) {
      const { query } = this.split(params)
      const record = this.records.find((record: any) => String(record[this.id]) === String(id))

      if (!record || !matches(query, record)) throw new NotFound(`No record found for id '${id}'`)

      return select(params, this.id)(record)
    }

    async _create(data: any, params: any = {}): Promise<any> {
      if (Array.isArray(data)) return Promise.all(data.map((item) => this._create(item, params)))

      const record = { [this.id]: this.records.length, ...data }

      this.records.push(record)

      return select(params, this.id)(record)
    }

    async _update(id: any, data: any, params: any = {}) {
      const record = await this._get(id, { ...params, query: {} })
      const replacement = { ...data, [this.id]: record[this.id] }

      this.records.splice(this.records.indexOf(record), 1, replacement)

      return select(params, this.id)(replacement)
    }

    async _patch(id: any, data: any, params: any = {}) {
      if (id === null && !this.allowsMulti('patch', params)) {
        throw new MethodNotAllowed('Can not patch multiple entries')
      }

      const { query } = this.split(params)
      const found =
        id === null ? this.records.filter((record: any) => matches(query, record)) : [await this._get(id)]

      for (const record of found) Object.assign(record, data)

      return id === null ? found.map(select(params, this.id)) : select(params, this.id)(found[0])
    }

    async _remove(id: any, params: any = {}) {
      if (id === null && !this.allowsMulti('remove', params)) {
        throw new MethodNotAllowed('Can not remove multiple entries')
      }

      const found =
        id === null ? await this._find({ ...params, paginate: false }) : [await this._get(id, params)]
      const ids = found.map((record: any) => record[this.id])

      this.records = this.records.filter((record: any) => !ids.includes(record[this.id]))

      return id === null ? found : found[0]
    }
  }

  class ArrayService extends ArrayAdapter {
    async find(params: any) {
      return this._find({ ...params, query: await this.sanitizeQuery(params) })
    }

    async get(id: any, params: any) {
      return this._get(id, { ...params, query: await this.sanitizeQuery(params) })
    }

    async create(data: any, params: any) {
      if (Array.isArray(data) && !this.allowsMulti('create', params)) {
        throw new MethodNotAllowed('Can not create multiple entries')
      }

      return this._create(data, params)
    }

    async update(id: any, data: any, params: any) {
      return this._update(id, data, { ...params, query: await this.sanitizeQuery(params) })
    }

    async patch(id: any, data: any, params: any) {
      const { $limit, ...query } = await this.sanitizeQuery(params)

      return this._patch(id, data, { ...params, query })
    }

    async remove(id: any, params: any) {
      const { $limit, ...query } = await this.sanitizeQuery(params)

      return this._remove(id, { ...params, query })
    }
  }

  return new ArrayService(options)
}

const commons: { [name: string]: object } = { '@feathersjs/adapter-commons': official, 'alula/adapter': ours }
const people = [
  { _id: 1, name: 'Ada', city: 'London' },
  { _id: 2, name: 'Bob', city: 'Bonn' },
  { _id: 3, name: 'Eve', city: 'Bonn' }
]

for (const [name, base] of Object.entries(commons)) {
  describeTransports(`an adapter for Feathers v5 on ${name}`, (open) => {
    const openPeople = (options = {}) =>
      open((app) => {
        const service = createArrayService(base, options)

        service.records = structuredClone(people)
        app.use('people', service)
      })

    it('finds by values, operators and $or', async () => {
      const client = await openPeople()
      const names = async (query: string) =>
        (await client.call('find', 'people', { query })).map((person: any) => person.name)

      expect(await names('')).toEqual(['Ada', 'Bob', 'Eve'])
      expect(await names('city=Bonn&name[$ne]=Bob')).toEqual(['Eve'])
      expect(await names('name[$in][]=Ada&name[$in][]=Eve')).toEqual(['Ada', 'Eve'])
      expect(await names('$or[0][name]=Ada&$or[1][name][$gt]=Bob')).toEqual(['Ada', 'Eve'])
    })

    it('sorts, selects and pages', async () => {
      const client = await openPeople({ paginate: { default: 2, max: 2 } })

      expect(
        await client.call('find', 'people', { query: '$sort[city]=1&$sort[name]=-1&$limit=50' })
      ).toEqual({
        total: 3,
        limit: 2,
        skip: 0,
        data: [people[2], people[1]]
      })
      expect(await client.call('find', 'people', { query: '$select[]=name&$skip=2&city[$ne]=Rome' })).toEqual(
        {
          total: 3,
          limit: 2,
          skip: 2,
          data: [{ _id: 3, name: 'Eve' }]
        }
      )
    })

    it('gets, creates, updates, patches and removes', async () => {
      const client = await openPeople()

      expect(await client.call('get', 'people', { id: 2, query: '$select[]=city' })).toEqual({
        _id: 2,
        city: 'Bonn'
      })
      expect(await client.call('create', 'people', { data: { name: 'Joe' } })).toEqual({
        _id: 3,
        name: 'Joe'
      })
      expect(await client.call('update', 'people', { id: 1, data: { name: 'A' } })).toEqual({
        _id: 1,
        name: 'A'
      })
      expect(await client.call('patch', 'people', { id: 1, data: { age: 36 } })).toEqual({
        _id: 1,
        name: 'A',
        age: 36
      })
      expect(await client.call('remove', 'people', { id: 1 })).toEqual({ _id: 1, name: 'A', age: 36 })
      await expect(client.call('get', 'people', { id: 1 })).rejects.toMatchObject({
        name: 'NotFound',
        message: "No record found for id '1'"
      })
    })

    it('changes several where multi allows it', async () => {
      const closed = await openPeople({ multi: ['patch'] })
      const refused = { name: 'MethodNotAllowed', code: 405 }

      expect(
        await closed.call('patch', 'people', {
          id: null,
          query: 'city=Bonn&$limit=1',
          data: { city: 'Köln' }
        })
      ).toHaveLength(2)
      await expect(closed.call('remove', 'people', { id: null })).rejects.toMatchObject(refused)
      await expect(closed.call('create', 'people', { data: [{}] })).rejects.toMatchObject(refused)

      const client = await openPeople({ multi: true })

      expect(await client.call('create', 'people', { data: [{}, {}] })).toHaveLength(2)
      expect(await client.call('remove', 'people', { id: null, query: 'city=Bonn' })).toHaveLength(2)
    })

    it('refuses operators that nobody listed, and takes those that are', async () => {
      const client = await openPeople()

      for (const query of ['$where=1', 'name[$where]=1', '$or[0][name][$like]=x', 'name[$like]=d']) {
        await expect(client.call('find', 'people', { query })).rejects.toMatchObject({ code: 400 })
      }

      const open = await openPeople({ operators: ['$like'], filters: { $populate: true } })

      expect(await open.call('find', 'people', { query: 'name[$like]=d&$populate=city' })).toEqual([
        people[0]
      ])
    })
  })

  it(`an adapter for Feathers v5 on ${name} takes params from inside`, async () => {
    const app = alula()

    app.use('people', createArrayService(base, { paginate: { default: 1 } }))

    const service: any = app.service('people')

    await service._create([{ name: 'Ada' }, { name: 'Bob' }])

    expect(await service.find({ paginate: false })).toHaveLength(2)
    expect(await service.find({ adapter: { paginate: { default: 2 } } })).toMatchObject({ limit: 2 })
    expect(await service.patch(null, { a: 1 }, { adapter: { multi: true } })).toHaveLength(2)
    expect(
      await service.find({ query: Object.assign({ name: 'Bob' }, { [ours.VALIDATED]: true }) })
    ).toMatchObject({
      total: 1
    })
    expect(service.id).toBe('_id')
    expect(service.events).toEqual([])
  })
}
