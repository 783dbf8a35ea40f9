// What a contract knows of records: where in responses they are, and which requests name them.

import type { Application } from 'alula'
import { type ManifestService, readServices } from 'alula/plugin'
import type { Envelope } from 'alula/schema'
import { isObject } from '../check.ts'
import type { DocumentRequest, Operation, PathValues } from '../document-requests.ts'
import { findRecordField, listRecords } from '../envelopes.ts'
import { parseReply, type Reply } from '../judge.ts'
import { listPathParameters } from './paths.ts'

/** A record of a response, and the placeholders of the request that has led to it. */
interface Seen {
  readonly record: { readonly [field: string]: unknown }
  readonly values: PathValues
}

/** How many records of a service are remembered. */
const MAX_SEEN = 20

/** The records that responses have had, by service. */
export class SeenRecords {
  private readonly operations: readonly Operation[]
  /** The names of placeholders: what has a field with one of them is a record. */
  private readonly names: ReadonlySet<string>
  private readonly seen = new Map<string, readonly Seen[]>()
  private readonly known: ReadonlyMap<string, readonly object[]>
  private readonly services: ReadonlyMap<string, ManifestService>

  /** @param known Records that are there before any response, by the path of their service */
  constructor(
    app: Application,
    operations: readonly Operation[],
    known: ReadonlyMap<string, readonly object[]>
  ) {
    this.operations = operations
    this.known = known
    this.services = new Map(readServices(app).map((service) => [service.path, service]))
    this.names = new Set(['id', ...operations.flatMap(({ path }) => listPathParameters(path))])
  }

  /** Keeps the records of a response, in whatever they are wrapped. */
  remember({ tags: [tag = ''] }: Operation, { values }: DocumentRequest, reply: Reply): void {
    const body = reply.status < 300 ? parseReply(reply) : undefined

    if (body === undefined) return

    const envelope = this.getEnvelope(tag)
    const isWrapped = findRecordField(body, envelope) !== undefined
    const found = isWrapped ? listRecords(body, envelope).filter(isObject) : this.findRecords(body)
    const records = found.map((record) => ({ record, values }))

    this.seen.set(tag, [...(this.seen.get(tag) ?? []), ...records].slice(-MAX_SEEN))
  }

  /** Whether a request has created no record: that of an empty list. */
  hasCreatedNothing({ tags: [tag = ''] }: Operation, reply: Reply): boolean {
    const body = reply.status === 201 ? parseReply(reply) : undefined

    return body !== undefined && listRecords(body, this.getEnvelope(tag)).length === 0
  }

  /**
   * The values that the placeholders of an operation may have together: those of a record of its service, and in the path
   * before it those of the records of other services.
   */
  listValues({ path, tags: [tag = ''] }: Operation): readonly PathValues[] {
    const names = listPathParameters(path)
    const ofService = listPathParameters(toBase(tag))
    const own = names.slice(ofService.length)

    if (own.length === 0) return this.listOuter(tag)

    return this.getSeen(tag).flatMap(({ record, values }) => {
      const kept = own.map((name, index) => [name, record[name] ?? (index === 0 && record[this.getId(tag)])])

      return isValue(kept[0]?.[1])
        ? [
            {
              ...pickNames(values, ofService),
              ...Object.fromEntries(kept.filter(([, value]) => isValue(value)))
            }
          ]
        : []
    })
  }

  /** The operation that finds the records of a service. */
  getFind(tag: string): Operation | undefined {
    return this.operations.find(
      ({ verb, path, tags }) => verb === 'GET' && tags[0] === tag && path === toBase(tag)
    )
  }

  /** The service whose records the last placeholder in the path of a service names. */
  getOuter(tag: string): string | undefined {
    const base = toBase(tag)
    const outer = base.slice(0, Math.max(0, base.lastIndexOf('/{')))

    return base.includes('{')
      ? this.operations.find(({ tags }) => toBase(tags[0] ?? '') === outer)?.tags[0]
      : undefined
  }

  private getEnvelope(tag: string): Envelope | undefined {
    return this.services.get(tag)?.definition?.envelope
  }

  /** The values of the placeholders in the path of a service. */
  private listOuter(tag: string): readonly PathValues[] {
    const name = listPathParameters(toBase(tag)).at(-1)
    const outer = this.getOuter(tag)

    if (name === undefined || outer === undefined) return []

    return this.getSeen(outer).flatMap(({ record, values }) => {
      const value = record[name] ?? record[this.getId(outer)]

      return isValue(value) ? [{ ...values, [name]: value }] : []
    })
  }

  /** The name of the field that names a record of a service in a path. */
  private getId(tag: string): string {
    const base = toBase(tag)
    const item = this.operations.find(({ path, tags }) => tags[0] === tag && isItem(path, base))

    return item ? (listPathParameters(item.path).at(-1) as string) : 'id'
  }

  private findRecords(value: unknown): readonly Seen['record'][] {
    if (Array.isArray(value)) return value.flatMap((element) => this.findRecords(element))
    if (!isObject(value)) return []
    if (Object.keys(value).some((name) => this.names.has(name))) return [value]

    return Object.values(value).flatMap((field) => this.findRecords(field))
  }

  private getSeen(tag: string): readonly Seen[] {
    const known = (this.known.get(tag) ?? []).map((record) => ({
      record: { ...record },
      values: this.toParentValues(tag, { ...record })
    }))

    return [...(this.seen.get(tag) ?? []), ...known]
  }

  /** What placeholders name the parents of a record. */
  private toParentValues(tag: string, record: Seen['record']): PathValues {
    const parents = Object.entries(this.services.get(tag)?.parent ?? {})
    const values = parents.map(([field, { service, placeholder }]) => {
      const id = this.services.get(service)?.id ?? 'id'
      const outer = this.getSeen(service).find((one) => one.record[id] === record[field])

      return { ...outer?.values, [placeholder]: outer?.record[this.getId(service)] ?? record[field] }
    })

    return Object.assign({}, ...values)
  }
}

/** The path of a service as a document has it. */
function toBase(tag: string): string {
  return `/${tag.replaceAll(/:([^/]+)/g, '{$1}')}`.replace(/^\/+/, '/')
}

function isItem(path: string, base: string): boolean {
  const start = `${base}/{`.replace('//', '/')

  return path.startsWith(start) && path.indexOf('}', start.length) === path.length - 1
}

function isValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== ''
}

function pickNames(values: PathValues, names: readonly string[]): PathValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))
}
