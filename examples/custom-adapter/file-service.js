import { AdapterBase, implementService, toPage } from 'alula/adapter'
import { Conflict, NotFound } from 'alula/errors'
import { toComparator, toPredicate, toSelection } from 'alula/query'

/** Keeps records in a `RecordFile`: the option `file`. */
export class FileService extends AdapterBase {
  async _find(params) {
    const { where, sort, skip, limit, select } = this.parseQuery(params)
    const matches = findRecords(this.options.file.records, null, where).sort(toComparator(sort))
    const data = this.toResults(matches.slice(skip, skip + (limit ?? matches.length)), select)

    return toPage(this.getOptions(params).paginate, { total: matches.length, limit, skip, data })
  }

  async _get(id, params) {
    const { where, select } = this.parseQuery(params)

    return this.toResults(findRecords(this.options.file.records, id, where), select)[0]
  }

  async _create(data, params) {
    const { select } = this.parseQuery(params)
    const records = await this.options.file.write((stored) => toEntries([data].flat(), stored, this.id))
    const results = this.toResults(records, select)

    return Array.isArray(data) ? results : results[0]
  }

  async _update(id, data, params) {
    return this.change(id, params, (record) => ({ ...data, [this.id]: record[this.id] }))
  }

  async _patch(id, data, params) {
    return this.change(id, params, (record) => ({ ...record, ...data, [this.id]: record[this.id] }))
  }

  async _remove(id, params) {
    return this.change(id, params, () => null)
  }

  async teardown() {
    await this.options.file.close()
  }

  /** Puts something else, or nothing, in the place of what an id leads to; without an id, of all that match. */
  async change(id, params, toNext) {
    const { where, select } = this.parseQuery(params)
    const records = await this.options.file.write((stored) =>
      findRecords(stored, id, where).map((record) => [String(record[this.id]), toNext(record)])
    )
    const results = this.toResults(records, select)

    return id === null ? results : results[0]
  }

  /** Copies, so that callers never share the stored objects. */
  toResults(records, select) {
    return structuredClone(records.map(toSelection(select, this.id)))
  }
}

// Adds find, get, create, update, patch and remove, which check and then call the methods above.
implementService(FileService)

function findRecords(stored, id, where) {
  // An id in a URL is text, so ids that read the same are the same.
  const candidates = id === null ? [...stored.values()] : [stored.get(String(id))].filter(Boolean)
  const matches = candidates.filter(toPredicate(where))

  if (id !== null && matches.length === 0) throw new NotFound(`No record found for id '${id}'`)

  return matches
}

function toEntries(items, stored, idField) {
  const entries = new Map()

  for (const item of items) {
    const id = item[idField] ?? crypto.randomUUID()
    const key = String(id)

    if (stored.has(key) || entries.has(key)) throw new Conflict(`A record with the id '${id}' exists already`)
    entries.set(key, { ...item, [idField]: id })
  }

  return [...entries]
}
