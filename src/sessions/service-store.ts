import { getServiceOptions } from '../core/service.ts'
import { hasCode } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import type { SessionChanges, SessionStore, StoredSession } from './types.ts'

const METHODS = ['_find', '_get', '_create', '_patch', '_remove'] as const

/** The methods of an adapter, which neither emit events nor run hooks. */
type Adapter = { readonly [method in (typeof METHODS)[number]]: (...args: any[]) => Promise<any> } & {
  /** The name of the id. */
  readonly id?: string
}

/** Keeps sessions in a service with an adapter, such as a table. */
export class ServiceSessionStore implements SessionStore {
  private readonly service: Adapter

  /** @param service The service; `assertSessionService` has checked it */
  constructor(service: Adapter) {
    this.service = service
  }

  async create({ id, ...session }: StoredSession): Promise<void> {
    await this.service._create({ [this.idName]: id, ...session })
  }

  async get(id: string): Promise<StoredSession | undefined> {
    return this.find(async () => this.toSession(await this.service._get(id, {})))
  }

  async update(id: string, expected: SessionChanges, changes: SessionChanges): Promise<boolean> {
    // The query is checked in the statement that writes.
    return Boolean(await this.find(() => this.service._patch(id, changes, { query: { ...expected } })))
  }

  async remove(id: string): Promise<boolean> {
    return Boolean(await this.find(() => this.service._remove(id, {})))
  }

  async findByUser(userId: string): Promise<readonly StoredSession[]> {
    const found = await this.service._find({ query: { userId }, paginate: false })

    return found.map((record: object) => this.toSession(record))
  }

  private get idName(): string {
    return this.service.id ?? 'id'
  }

  private async find<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await ask()
    } catch (error) {
      if (hasCode(error, 404)) return undefined
      throw error
    }
  }

  private toSession(record: any): StoredSession {
    return { ...record, id: String(record[this.idName]) }
  }
}

/**
 * Checks that a service can keep sessions, and that clients cannot reach it.
 *
 * @param service The service
 * @param path Its path, for messages
 * @throws Error that says what is wrong
 */
export function assertSessionService(service: any, path: string): asserts service is Adapter {
  const missing = METHODS.filter((method) => typeof service?.[method] !== 'function')

  if (missing.length > 0) {
    throw createError(
      'ALULA_INVALID_OPTION',
      `The service '${path}' of the option 'refresh.store' cannot keep sessions: expected an adapter, with ${missing.join(', ')}`
    )
  }
  if (getServiceOptions(service).methods.length > 0) {
    throw createError(
      'ALULA_INVALID_OPTION',
      `Clients can reach the service '${path}' of the option 'refresh.store': register it with { methods: [] }`
    )
  }
}
