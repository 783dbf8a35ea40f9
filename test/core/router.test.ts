import { describe, expect, it } from 'vitest'
import { alula, Router } from '../../src/index.ts'
import { createError } from '../../src/utils/developer-error.ts'

const HOSTILE = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'data', 'children']

describe('a router', () => {
  it('finds what was inserted under a path, whatever slashes are around it', () => {
    const router = new Router()

    router.insert('/hello/there/', 'found')

    for (const path of ['hello/there', '/hello/there', 'hello/there/', '//hello/there//']) {
      expect(router.lookup(path)).toEqual({ data: 'found', params: {} })
    }
  })

  it('finds nothing at a part of a path or behind it', () => {
    const router = new Router()

    router.insert('hello/there', 'found')

    for (const path of ['', 'hello', 'there', 'hello/there/you', 'hello/there2', 'hellothere']) {
      expect(router.lookup(path)).toBeNull()
    }
  })

  it.each([[undefined], [null], [42], [{}], [['hello']]])('finds nothing at %o', (path) => {
    const router = new Router()

    router.insert('hello', 'found')

    expect(router.lookup(path)).toBeNull()
  })

  it('has a root', () => {
    const router = new Router()

    expect(router.lookup('/')).toBeNull()
    router.insert('/', 'root')
    expect(router.lookup('/')?.data).toBe('root')
    expect(router.lookup('')?.data).toBe('root')
    expect(router.lookup('more')).toBeNull()
  })

  it('gives placeholders the segments that stand for them, as they came', () => {
    const router = new Router()

    router.insert('users/:userId/messages/:messageId', 'message')

    expect(router.lookup('users/5/messages/a%20b')).toEqual({
      data: 'message',
      params: { userId: '5', messageId: 'a%20b' }
    })
  })

  it('prefers a static segment to a placeholder', () => {
    const router = new Router()

    router.insert('users/:id', 'placeholder')
    router.insert('users/me', 'static')

    expect(router.lookup('users/me')).toEqual({ data: 'static', params: {} })
    expect(router.lookup('users/you')).toEqual({ data: 'placeholder', params: { id: 'you' } })
  })

  it('goes back to a placeholder when a static segment leads nowhere', () => {
    const router = new Router()

    router.insert('users/me/profile', 'profile')
    router.insert('users/:id/posts', 'posts')

    expect(router.lookup('users/me/posts')).toEqual({ data: 'posts', params: { id: 'me' } })
  })

  it('tries placeholders in the order in which they were inserted', () => {
    const router = new Router()

    router.insert('things/:a', 'first')
    router.insert('things/:b', 'second')
    router.insert('things/:b/more', 'more')

    expect(router.lookup('things/1')).toEqual({ data: 'first', params: { a: '1' } })
    expect(router.lookup('things/1/more')).toEqual({ data: 'more', params: { b: '1' } })
  })

  it('forgets the placeholders of a way that led nowhere', () => {
    const router = new Router()

    router.insert(':a/:b/x', 'x')
    router.insert(':c/:d/y', 'y')

    expect(router.lookup('1/2/y')).toEqual({ data: 'y', params: { c: '1', d: '2' } })
  })

  it('refuses a path that is taken', () => {
    const router = new Router()

    router.insert('hello/:name', 'found')

    expect(() => router.insert('/hello/:name/', 'again')).toThrow(
      createError('ALULA_PATH_TAKEN', 'Path hello/:name already exists')
    )
    expect(() => router.insert('hello/:other', 'another')).not.toThrow()
  })

  it('minds the case of segments', () => {
    const router = new Router()

    router.insert('Hello', 'found')

    expect(router.lookup('hello')).toBeNull()
    expect(router.lookup('Hello')).not.toBeNull()
  })

  it('can be told not to mind the case, and then keeps the case of what stands for placeholders', () => {
    const router = new Router()

    router.caseSensitive = false
    router.insert('Hello/:Name/There', 'found')

    expect(router.lookup('hELLO/Ada/tHERE')).toEqual({ data: 'found', params: { Name: 'Ada' } })
    expect(() => router.insert('hello/:Name/there', 'again')).toThrow('already exists')
    router.remove('HELLO/:Name/THERE')
    expect(router.lookup('Hello/Ada/There')).toBeNull()
  })

  it.each(HOSTILE)('takes %s for an ordinary segment', (segment) => {
    const router = new Router()

    router.insert('things', 'things')
    for (const path of [segment, `things/${segment}`, `${segment}/things`, `things/${segment}/${segment}`]) {
      expect(router.lookup(path)).toBeNull()
    }

    router.insert(segment, 'hostile')
    router.insert('things/:id', 'thing')

    expect(router.lookup(segment)?.data).toBe('hostile')
    expect(router.lookup(`${segment}/things`)).toBeNull()
    expect(router.lookup(`things/${segment}`)).toEqual({ data: 'thing', params: { id: segment } })
    router.remove(segment)
    expect(router.lookup(segment)).toBeNull()
  })

  it('does not let an empty segment stand for a placeholder', () => {
    const router = new Router()

    router.insert('users/:id/posts', 'posts')
    router.insert(':first/:second', 'two')

    expect(router.lookup('users//posts')).toBeNull()
    expect(router.lookup('a//b')).toBeNull()
    expect(router.lookup('users/1/posts')).not.toBeNull()
  })

  it('compares static segments as they came, without decoding them', () => {
    const router = new Router()

    router.insert('admin', 'static')
    router.insert(':page', 'placeholder')

    expect(router.lookup('%61dmin')).toEqual({ data: 'placeholder', params: { page: '%61dmin' } })
  })

  it.each(['?', '*', '.', '(', ':', '%', '%zz', '..', ' ', '\u0000', 'ü€😀', '\\'])(
    'takes %j for an ordinary segment',
    (segment) => {
      const router = new Router()

      router.insert('things/:id', 'thing')

      expect(router.lookup(`things/${segment}`)).toEqual({ data: 'thing', params: { id: segment } })
      expect(router.lookup(segment)).toBeNull()
    }
  )

  it('answers for very long paths', () => {
    const router = new Router()

    router.insert('a/:b/:c', 'found')

    expect(router.lookup('a/'.repeat(100_000))).toBeNull()
    expect(router.lookup('/'.repeat(100_000))).toBeNull()
    expect(router.lookup(`a/${'b'.repeat(100_000)}/c`)?.data).toBe('found')
  })

  it('forgets what is removed, and keeps what is longer', () => {
    const router = new Router()

    router.insert('users', 'users')
    router.insert('users/all', 'all')
    router.insert('users/:id', 'user')
    router.remove('/users/')

    expect(router.lookup('users')).toBeNull()
    expect(router.lookup('users/all')?.data).toBe('all')
    expect(router.lookup('users/1')?.data).toBe('user')

    router.remove('users/:id')
    expect(router.lookup('users/1')).toBeNull()
    expect(router.lookup('users/all')?.data).toBe('all')
  })

  it('lets a path be inserted again that was removed', () => {
    const router = new Router()

    for (const data of ['first', 'second']) {
      router.insert('users/:id', data)
      expect(router.lookup('users/1')?.data).toBe(data)
      router.remove('users/:id')
    }
  })

  it('removes nothing when there is nothing', () => {
    const router = new Router()

    router.insert('users/all', 'all')

    for (const path of ['', 'users', 'others', 'users/:id', 'users/all/more', ...HOSTILE]) router.remove(path)

    expect(router.lookup('users/all')?.data).toBe('all')
  })
})

describe('the routes of an application', () => {
  it('lead to a service, and to a record of it', () => {
    const app = alula().use('things', { get: async () => ({}) })
    const service = app.service('things')

    expect(app.routes).toBeInstanceOf(Router)
    expect(app.lookup('/things/')).toEqual({ service, params: {} })
    expect(app.lookup('things/5')).toEqual({ service, params: { __id: '5' } })
    expect(app.lookup('things/5/6')).toBeNull()
    expect(app.lookup('other')).toBeNull()
    expect(app.lookup(undefined as any)).toBeNull()
  })

  it('have placeholders', () => {
    const app = alula().use('users/:userId/messages', { get: async () => ({}) })

    expect(app.lookup('users/1/messages')?.params).toEqual({ userId: '1' })
    expect(app.lookup('users/1/messages/2')?.params).toEqual({ userId: '1', __id: '2' })
    expect(app.lookup('users/1')).toBeNull()
  })

  it('have the values that a service was registered with, below those of the path', () => {
    const routeParams = Object.freeze({ kind: 'thing', userId: 'none' })
    const app = alula().use(':userId/things', { get: async () => ({}) }, { routeParams })

    expect(app.lookup('1/things/2')?.params).toEqual({ kind: 'thing', userId: '1', __id: '2' })
    expect(routeParams).toEqual({ kind: 'thing', userId: 'none' })
  })

  it('lead to a service at the root, and to its records', () => {
    const app = alula().use('/', { get: async () => ({}) })

    expect(app.lookup('/')?.params).toEqual({})
    expect(app.lookup('/5')?.params).toEqual({ __id: '5' })
  })

  it('lead to the longer path where two services match', () => {
    const app = alula()
      .use('users', { get: async () => ({}) })
      .use('users/active', { get: async () => ({}) })

    expect(app.lookup('users/active')?.service).toBe(app.service('users/active'))
    expect(app.lookup('users/passive')?.service).toBe(app.service('users'))
  })

  it('lead to services of another application', () => {
    const inner = alula().use('things', { get: async () => ({}) })
    const app = alula().use('api', inner)

    expect(app.lookup('api/things/1')).toEqual({ service: inner.service('things'), params: { __id: '1' } })
    expect(inner.lookup('things/1')?.service).toBe(inner.service('things'))
    expect(app.lookup('things')).toBeNull()
  })

  it('lead nowhere when the service is taken out', async () => {
    const app = alula()
      .use('things', { get: async () => ({}) })
      .use('things/special', { get: async () => ({}) })

    await app.unuse('things')

    expect(app.lookup('things')).toBeNull()
    expect(app.lookup('things/5')).toBeNull()
    expect(app.lookup('things/special')?.service).toBe(app.service('things/special'))
  })

  it.each(HOSTILE)('lead nowhere at %s', (segment) => {
    const app = alula().use('things', { get: async () => ({}) })

    expect(app.lookup(segment)).toBeNull()
    expect(app.lookup(`things/x/${segment}`)).toBeNull()
    expect(app.lookup(`things/${segment}`)?.params).toEqual({ __id: segment })
  })
})
