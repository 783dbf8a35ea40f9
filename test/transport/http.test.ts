import { describe, expect, it } from 'vitest'
import { Forbidden, MethodNotAllowed, NotAuthenticated } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { createNotFound, toHttpError, toHttpResult } from '../../src/transport/http.ts'

const app: any = alula().use('things', memory())
const [all, one] = [app.lookup('things'), app.lookup('things/1')]
const getAllowed = (method: string, route: unknown, headers: any = {}) =>
  toHttpError(new MethodNotAllowed(), { method, headers }, route as any).headers.Allow

describe('the answer to an error', () => {
  it('says which verbs are allowed here, without the one that was refused', () => {
    expect(getAllowed('DELETE', all)).toBe('GET, HEAD, QUERY, POST, PUT, PATCH')
    expect(getAllowed('PUT', one)).toBe('GET, HEAD, PATCH, DELETE')
    // The method of the header was refused, and not the verb.
    expect(getAllowed('POST', all, { 'x-service-method': 'nothing' })).toBe(
      'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE'
    )
    expect(getAllowed('POST', null)).toBeUndefined()
    expect(toHttpError(new Forbidden(), { method: 'POST', headers: {} }, all).headers).toEqual({})
  })

  it('counts what is at this path alone', () => {
    const getter: any = alula().use('things', { get: async () => ({}), create: async () => ({}) })

    expect(getAllowed('PUT', getter.lookup('things'))).toBe('POST')
    expect(getAllowed('PUT', getter.lookup('things/1'))).toBe('GET, HEAD')
  })

  it('asks for credentials where they are missing', () => {
    const request = { method: 'GET', headers: {} }

    expect(toHttpError(new NotAuthenticated(), request).headers).toEqual({ 'WWW-Authenticate': 'Bearer' })
    expect(toHttpError(new Forbidden(), request).headers).toEqual({})
  })

  it('to a path that leads nowhere names it in the data, and in the message where that is wanted', () => {
    expect(createNotFound('/nothing')).toMatchObject({ message: 'Page not found', data: { url: '/nothing' } })
    expect(createNotFound('/nothing', true).message).toBe('Page not found: /nothing')
  })
})

describe('the answer to a call', () => {
  const answer = (context: object) => toHttpResult({ method: 'get', ...context } as any)

  it.each([
    [{ result: {} }, 200],
    [{ result: {}, method: 'create' }, 201],
    [{ result: null, method: 'create' }, 204],
    [{ result: undefined }, 204],
    [{ result: {}, http: { status: 202 } }, 202],
    [{ result: {}, http: { location: '/there' } }, 303],
    [{ result: {}, http: { location: '/there', status: 301 } }, 301],
    [{ result: {}, method: 'create', http: { headers: { Location: '/there' } } }, 303],
    [{ result: {}, method: 'create', http: { headers: { location: '/there' } } }, 201]
  ])('of %j has the status %i', (context, status) => {
    expect(answer(context).status).toBe(status)
  })

  it('shows what is meant for clients, also when that is nothing', () => {
    expect(answer({ result: 1, dispatch: 2 }).body).toBe(2)
    expect(answer({ result: 1, dispatch: null })).toMatchObject({ body: null, status: 204 })
    expect(answer({ result: 1 }).body).toBe(1)
  })

  it.each<[unknown, string]>([
    ['/a b', '/a%20b'],
    ['/a%20b', '/a%20b'],
    ['/100%', '/100%25'],
    ['/%zz', '/%25zz'],
    ['/a\r\nSet-Cookie: b', '/a%0D%0ASet-Cookie:%20b'],
    ['/ä/😀', '/%C3%A4/%F0%9F%98%80'],
    ['/"<>\\^`{|}', '/%22%3C%3E%5C%5E%60%7B%7C%7D'],
    ['/~!?a=b&c[d]#e', '/~!?a=b&c[d]#e'],
    ['/\ud800', '/%EF%BF%BD'],
    [new URL('/ä b', 'http://localhost'), 'http://localhost/%C3%A4%20b']
  ])('leads to %j as %s', (location, header) => {
    expect(answer({ http: { location, headers: { 'X-Own': '1' } } }).headers).toEqual({
      'X-Own': '1',
      Location: header
    })
  })
})
