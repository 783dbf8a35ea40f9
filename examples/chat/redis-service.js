import { AdapterBase, implementService, toPage } from 'alula/adapter'
import { Conflict, NotFound } from 'alula/errors'
import { toComparator, toPredicate, toSelection } from 'alula/query'

/**
 * Keeps each record as JSON in a hash of Redis: the options `redis`, a client, and `key`. It can find, get, create and
 * remove. A search reads all records, so it is for a few thousand of them; a database has indexes.
 */
export class RedisService extends AdapterBase {
  async _find(params) {
    const { redis, key } = this.options
    const { where, sort, skip, limit, select } = this.parseQuery(params)
    const records = (await redis.hVals(key)).map((text) => JSON.parse(text))
    const matches = records.filter(toPredicate(where)).sort(toComparator(sort))
    const data = matches.slice(skip, skip + (limit ?? matches.length)).map(toSelection(select, this.id))

    return toPage(this.getOptions(params).paginate, { total: matches.length, limit, skip, data })
  }

  async _get(id, params) {
    const { redis, key } = this.options
    const { where, select } = this.parseQuery(params)
    const text = await redis.hGet(key, String(id))
    const [record] = [text].filter(Boolean).map(JSON.parse).filter(toPredicate(where))

    if (!record) throw new NotFound(`No record found for id '${id}'`)

    return toSelection(select, this.id)(record)
  }

  async _create(data, params) {
    const { redis, key } = this.options
    const { select } = this.parseQuery(params)
    const id = data[this.id] ?? crypto.randomUUID()
    const record = { ...data, [this.id]: id }

    // One step: of several who want the same id, in whatever process, one gets it.
    const isNew = await redis.hSetNX(key, String(id), JSON.stringify(record))

    if (!isNew) throw new Conflict(`A record with the id '${id}' exists already`)

    return toSelection(select, this.id)(record)
  }

  async _remove(id, params) {
    const { redis, key } = this.options
    const record = await this._get(id, params)
    const isRemoved = await redis.hDel(key, String(id))

    if (!isRemoved) throw new NotFound(`No record found for id '${id}'`)

    return record
  }
}

// Adds find, get, create, update, patch and remove, which check and then call the methods above.
implementService(RedisService)
