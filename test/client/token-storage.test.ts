import { describe, expect, it } from 'vitest'
import {
  alula,
  authentication,
  defaultStorage,
  defaults,
  getDefaultStorage,
  MemoryStorage,
  rest,
  type Storage,
  StorageWrapper
} from '../../src/client.ts'
import { withWindow } from './login.ts'

describe('the storage', () => {
  it('is that of the browser where there is one', async () => {
    const values = new Map<string, string>()
    const localStorage = {
      getItem: (key: string) => values.get(key) ?? null,
      setItem: (key: string, value: string) => void values.set(key, value),
      removeItem: (key: string) => void values.delete(key)
    }

    withWindow({ localStorage })

    const storage: any = getDefaultStorage()

    expect(storage).toBeInstanceOf(StorageWrapper)
    await storage.setItem('a', 'b')
    expect(values.get('a')).toBe('b')
    expect(await storage.getItem('a')).toBe('b')
    await storage.removeItem('a')
    expect(await storage.getItem('a')).toBeNull()
  })

  it('is memory where there is none, or none may be used', () => {
    expect(getDefaultStorage()).toBeInstanceOf(MemoryStorage)

    withWindow({})
    expect(getDefaultStorage()).toBeInstanceOf(MemoryStorage)

    withWindow({
      get localStorage() {
        throw new Error('The operation is insecure')
      }
    })
    expect(getDefaultStorage()).toBeInstanceOf(MemoryStorage)
  })

  function createClient(options?: object) {
    return alula().configure(rest('http://localhost').fetch(fetch)).configure(authentication(options))
  }

  it.each([
    ['the defaults', undefined],
    ['their copy', defaults]
  ])('is the memory of each application where there is none, with %s', async (_what, options) => {
    const [one, other] = [createClient(options), createClient(options)]

    await one.authentication.setAccessToken('a')
    expect(await one.authentication.getAccessToken()).toBe('a')
    expect(await other.authentication.getAccessToken()).toBeNull()
    expect((await defaultStorage.getItem('feathers-jwt')) ?? null).toBeNull()
  })

  it('is the one of the page for all applications', async () => {
    const values = new Map<string, string>()

    withWindow({
      localStorage: {
        getItem: (key: string) => values.get(key) ?? null,
        setItem: (key: string, value: string) => void values.set(key, value),
        removeItem: (key: string) => void values.delete(key)
      }
    })
    await createClient().authentication.setAccessToken('a')
    expect(await createClient().authentication.getAccessToken()).toBe('a')
    expect(await defaultStorage.getItem('feathers-jwt')).toBe('a')
    await defaultStorage.setItem?.('feathers-jwt', 'b')
    expect(values.get('feathers-jwt')).toBe('b')
    await defaultStorage.removeItem?.('feathers-jwt')
    expect(values.size).toBe(0)
  })

  const refuse = () => {
    throw new Error('The operation is insecure')
  }

  it.each<[string, Storage | undefined]>([
    ['throws', { getItem: refuse, setItem: refuse, removeItem: refuse }],
    [
      'rejects',
      { getItem: async () => refuse(), setItem: async () => refuse(), removeItem: async () => refuse() }
    ],
    ['is full', { getItem: () => null, setItem: refuse, removeItem: () => undefined }],
    ['can only be read', { getItem: () => null }],
    ['is missing', undefined]
  ])('that %s is replaced by memory', async (_what, given) => {
    const storage = new StorageWrapper(given)

    await storage.setItem('a', 'b')
    expect(await storage.getItem('a')).toBe('b')
    expect(await storage.removeItem('a')).toBe('b')
    expect((await storage.getItem('a')) ?? null).toBeNull()
  })

  it('goes on when it works again', async () => {
    const values = new Map<string, string>()
    let isFull = true
    const storage = new StorageWrapper({
      getItem: (key) => values.get(key),
      setItem: (key, value) => (isFull ? refuse() : void values.set(key, value)),
      removeItem: (key) => values.delete(key)
    })

    await storage.setItem('a', 'b')
    isFull = false
    await storage.setItem('a', 'c')

    expect(await storage.getItem('a')).toBe('c')
    expect(values.get('a')).toBe('c')
    // As another page may do.
    values.set('a', 'd')
    expect(await storage.getItem('a')).toBe('d')
    await storage.removeItem('a')
    expect(await storage.getItem('a')).toBeUndefined()
  })
})
