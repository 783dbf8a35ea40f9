import { createDebug } from '../utils/debug.ts'

/** Where a client keeps its token: `localStorage`, or what has methods like it, with promises or without. */
export interface Storage {
  getItem(key: string): any
  setItem?(key: string, value: any): unknown
  removeItem?(key: string): unknown
}

const debug = createDebug('alula:client')

/** A storage that lasts as long as the process, or the page. */
export class MemoryStorage implements Storage {
  private readonly values = new Map<string, unknown>()

  async getItem(key: string): Promise<any> {
    return this.values.get(key)
  }

  async setItem(key: string, value: unknown): Promise<unknown> {
    this.values.set(key, value)

    return value
  }

  async removeItem(key: string): Promise<unknown> {
    const value = this.values.get(key)

    this.values.delete(key)

    return value
  }
}

/**
 * Makes a storage asynchronous, and harmless: what it refuses to keep, as browsers do when it is blocked or full, is
 * kept in memory.
 */
export class StorageWrapper implements Storage {
  private readonly storage: Storage | undefined
  private readonly memory = new MemoryStorage()

  constructor(storage?: Storage) {
    this.storage = storage
  }

  async getItem(key: string): Promise<any> {
    return (await this.memory.getItem(key)) ?? this.attempt((storage) => storage.getItem(key))
  }

  async setItem(key: string, value: unknown): Promise<unknown> {
    await this.memory.setItem(key, value)

    return this.attempt(async (storage) => {
      const stored = await (storage as Required<Storage>).setItem(key, value)

      await this.memory.removeItem(key)

      return stored
    })
  }

  async removeItem(key: string): Promise<unknown> {
    const value = await this.memory.removeItem(key)
    const removed = await this.attempt((storage) => storage.removeItem?.(key))

    return removed ?? value
  }

  /** What the storage returns; nothing when it fails. */
  private async attempt(use: (storage: Storage) => unknown): Promise<unknown> {
    if (!this.storage) return undefined

    try {
      return await use(this.storage)
    } catch (error) {
      debug('The storage failed: %O', error)

      return undefined
    }
  }
}

/**
 * The default storage of `authentication()`: `localStorage`. Where there is none, it keeps nothing, and each application gets a
 * memory of its own.
 */
export const defaultStorage: Storage = {
  getItem: (key) => getDefaultStorage().getItem(key),
  setItem: (key, value) => getDefaultStorage().setItem?.(key, value),
  removeItem: (key) => getDefaultStorage().removeItem?.(key)
}

/** `localStorage` where there is one, and a new memory elsewhere. */
export function getDefaultStorage(): Storage {
  try {
    const { localStorage } = (globalThis as unknown as { window: { localStorage?: Storage } }).window

    return localStorage ? new StorageWrapper(localStorage) : new MemoryStorage()
  } catch {
    // A page may be forbidden even to look at it.
    return new MemoryStorage()
  }
}
