import { describe, expect, it } from 'vitest'
import { implementService } from '../../src/adapter.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { EchoAdapter, EchoService, METHODS } from './echo.ts'

/** Sends a request to services without a server. */
function open(service: object) {
  const app = alula()

  app.use('things', service as any)

  return createHandler(app, { logger: false })
}

describe('implementService', () => {
  it('gives the class the six methods, and its adapter none', () => {
    for (const method of METHODS) {
      expect(EchoService.prototype).toHaveProperty(method)
      expect(EchoAdapter.prototype).not.toHaveProperty(method)
    }

    expect(Object.keys(EchoService.prototype)).toEqual([])
  })

  it('a method can be overridden, and reached by super', async () => {
    class ShoutingService extends EchoService {
      override async get(id: any, params?: any) {
        return super.get(String(id).toUpperCase(), params)
      }

      override async find() {
        return [] as any
      }
    }

    const service = new ShoutingService()

    expect(await service.get('a')).toEqual({ method: '_get', id: 'A', params: { query: {} } })
    expect(await service.find()).toEqual([])
    await expect(service.patch(null, {})).rejects.toMatchObject({ name: 'MethodNotAllowed' })
  })

  it('a method can be replaced, on an object and in its class', async () => {
    class Replaced extends EchoAdapter {}

    implementService(Replaced)

    const prototype: any = Replaced.prototype
    const service: any = new Replaced()

    service.get = async () => 'of the object'
    prototype.find = async () => 'of the class'
    Object.defineProperty(prototype, 'remove', { get: () => async () => 'from a getter' })

    expect(await service.get(1)).toBe('of the object')
    expect(await service.find()).toBe('of the class')
    expect(await service.remove(1)).toBe('from a getter')
  })

  it('leaves alone what the class defines itself', async () => {
    class OwnService extends EchoAdapter {
      async get() {
        return 'mine'
      }
    }

    implementService(OwnService)

    const service: any = new OwnService()

    expect(await service.get(1)).toBe('mine')
    expect(await service.find()).toMatchObject({ method: '_find' })
  })

  it('two classes on one adapter do not disturb each other', async () => {
    class First extends EchoAdapter {}
    class Second extends EchoAdapter {}

    implementService(First)

    expect(await (new First() as any).get(1)).toMatchObject({ method: '_get' })
    expect(Second.prototype).not.toHaveProperty('get')
  })
})

describe('over REST', () => {
  const JSON_HEADERS = { 'Content-Type': 'application/json' }

  it('a service has all six methods', async () => {
    const send = open(new EchoService({ multi: true }))
    const method = async (verb: string, path: string) => {
      const init = { method: verb, ...(verb.startsWith('P') && { headers: JSON_HEADERS, body: '{}' }) }
      const response = await send(new Request(`http://localhost${path}`, init))

      return ((await response.json()) as any).method
    }

    expect(await method('GET', '/things')).toBe('_find')
    expect(await method('GET', '/things/1')).toBe('_get')
    expect(await method('POST', '/things')).toBe('_create')
    expect(await method('PUT', '/things/1')).toBe('_update')
    expect(await method('PATCH', '/things/1')).toBe('_patch')
    expect(await method('DELETE', '/things')).toBe('_remove')
  })

  it('an adapter by itself is no service', () => {
    expect(() => alula().use('things', new EchoAdapter() as any)).toThrow('Invalid service object')
  })

  it('a class that extends an adapter exposes what it defines and nothing else', async () => {
    class ReadOnlyService extends EchoAdapter {
      async find(params: any) {
        return this._find({ query: await this.sanitizeQuery(params) })
      }
    }

    const send = open(new ReadOnlyService())
    const status = async (method: string, path: string, headers = {}) =>
      (await send(new Request(`http://localhost${path}`, { method, headers }))).status

    expect(await status('GET', '/things?a=1')).toBe(200)

    for (const [method, path] of [
      ['GET', '/things/1'],
      ['POST', '/things'],
      ['PUT', '/things/1'],
      ['PATCH', '/things'],
      ['DELETE', '/things/1']
    ] as const) {
      expect(await status(method, path)).toBe(405)
    }

    for (const name of ['_find', '_remove', 'getOptions', 'sanitizeQuery', 'allowsMulti', 'parse']) {
      expect(await status('POST', '/things', { 'X-Service-Method': name })).toBe(405)
    }
  })
})
