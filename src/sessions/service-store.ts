import type { StoreAdapter } from '../core/store-service.ts'
import { findOrNothing } from '../utils/find-or-nothing.ts'
import type { SessionChanges, SessionStore, StoredSession } from './types.ts'

/** Keeps sessions in a service with an adapter, such as a table. */
export class ServiceSessionStore implements SessionStore {
  private readonly service: StoreAdapter

  /** @param service The service; `assertStoreService` has checked it */
  constructor(service: StoreAdapter) {
    this.service = service
  }

  async create({ id, ...session }: StoredSession): Promise<void> {
    await this.service._create({ [this.idName]: id, ...session })
  }

  async get(id: string): Promise<StoredSession | undefined> {
    return findOrNothing(async () => this.toSession(await this.service._get(id, {})))
  }

  async update(id: string, expected: SessionChanges, changes: SessionChanges): Promise<boolean> {
    // The query is checked in the statement that writes.
    return Boolean(await findOrNothing(() => this.service._patch(id, changes, { query: { ...expected } })))
  }

  async remove(id: string): Promise<boolean> {
    return Boolean(await findOrNothing(() => this.service._remove(id, {})))
  }

  async findByUser(userId: string): Promise<readonly StoredSession[]> {
    const found = await this.service._find({ query: { userId }, paginate: false })

    return found.map((record: object) => this.toSession(record))
  }

  private get idName(): string {
    return this.service.id ?? 'id'
  }

  private toSession(record: any): StoredSession {
    return { ...record, id: String(record[this.idName]) }
  }
}
