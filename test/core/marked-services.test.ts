import { describe, expect, it } from 'vitest'
import { alula, getServiceOptions, SERVICE } from '../../src/index.ts'

// Plugins mark services as registered themselves, and may leave options out. Hooks and events come on top.

const COMPLETE = {
  methods: ['create'],
  events: [],
  serviceEvents: ['created', 'updated', 'patched', 'removed']
}

/** A service whose mark is as given. */
class Marked {
  declare items: unknown[]

  constructor(mark: PropertyDescriptor) {
    Object.defineProperty(this, SERVICE, mark)
    this.items = []
  }

  async create(data: unknown) {
    this.items.push(data)

    return data
  }
}

const options = () => ({ methods: ['create'] })

async function register(service: any) {
  const seen: unknown[] = []
  const app = alula().use('things', service)
  const registered: any = app.service('things')

  registered.hooks({ before: { create: [(context: any) => void seen.push(context.method)] } })
  registered.on('created', (data: unknown) => seen.push(data))
  await registered.create({ n: 1 })

  return { registered, seen }
}

describe('a service that a plugin has marked', () => {
  const frozen = Object.freeze(options())

  it.each<[string, object]>([
    ['read-only', new Marked({ value: options() })],
    ['writable', new Marked({ value: options(), writable: true })],
    ['configurable', new Marked({ value: frozen, configurable: true })],
    ['inherited', Object.create(new Marked({ value: options() }))],
    ['a getter that can be replaced', new Marked({ get: options, configurable: true })],
    ['behind a proxy', new Proxy(new Marked({ value: options() }), {})]
  ])('stays the same object with a mark that is %s', async (_name, service) => {
    const { registered, seen } = await register(service)

    expect(registered).toBe(service)
    expect(getServiceOptions(registered)).toEqual(COMPLETE)
    expect(seen).toEqual(['create', { n: 1 }])
  })

  it.each<[string, object]>([
    ['a mark that is frozen and read-only', new Marked({ value: frozen })],
    ['a frozen object', Object.freeze(new Marked({ value: options() }))],
    ['a sealed object', Object.seal(new Marked({ value: options(), writable: true }))],
    ['a frozen object whose mark is complete', Object.freeze(new Marked({ value: COMPLETE }))],
    [
      'a method that cannot be replaced',
      Object.defineProperty(new Marked({ value: options() }), 'create', { value: Marked.prototype.create })
    ]
  ])('is derived from when it has %s', async (_name, service: any) => {
    const { registered, seen } = await register(service)

    expect(registered).not.toBe(service)
    expect(registered).toBeInstanceOf(Marked)
    expect(getServiceOptions(registered)).toEqual(COMPLETE)
    expect(seen).toEqual(['create', { n: 1 }])
    expect(service.items).toEqual([{ n: 1 }])
  })

  it('does not share what is filled in with others that have the same mark', () => {
    const mark = {}
    const app = alula()
      .use('one', Object.assign(new Marked({ value: mark, configurable: true }), { events: ['sent'] }) as any)
      .use('two', new Marked({ value: mark, configurable: true }) as any)

    expect(getServiceOptions(app.service('one')).events).toEqual(['sent'])
    expect(getServiceOptions(app.service('two')).events).toEqual([])
    expect(mark).toEqual({})
  })
})
