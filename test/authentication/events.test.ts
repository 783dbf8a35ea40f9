import { describe, expect, it } from 'vitest'
import { callService } from '../../src/transport.ts'
import { createAppWithUser, LOGIN } from './app.ts'

describe('the events of the application', () => {
  it('tell of logins and logouts from outside, with result, params and context', async () => {
    const { app, service } = await createAppWithUser()
    const seen: unknown[][] = []

    app.on('login', (...args: unknown[]) => seen.push(['login', ...args]))
    app.on('logout', (...args: unknown[]) => seen.push(['logout', ...args]))

    const inside = await service.create(LOGIN)

    await service.remove(null, { authentication: { strategy: 'jwt', accessToken: inside.accessToken } })
    expect(seen).toEqual([])

    const login = await callService(service, {
      method: 'create',
      data: LOGIN,
      params: { provider: 'rest', query: {} }
    })

    expect(seen).toHaveLength(1)
    expect(seen[0]?.[0]).toBe('login')
    expect(seen[0]?.[1]).toBe(login.result)
    expect(seen[0]?.[2]).toBe(login.params)
    expect(seen[0]?.[3]).toBe(login)
    expect(seen[0]?.[2]).toEqual({ provider: 'rest', query: {} })

    const { accessToken } = login.result
    const logout = await callService(service, {
      method: 'remove',
      id: null,
      params: { provider: 'rest', query: {}, authentication: { strategy: 'jwt', accessToken } }
    })

    expect(seen).toHaveLength(2)
    expect(seen[1]?.[0]).toBe('logout')
    expect(seen[1]?.[1]).toBe(logout.result)
    expect(seen[1]?.[2]).toBe(logout.params)
    expect(seen[1]?.[3]).toBe(logout)
  })

  it('do not come when a login fails', async () => {
    const { app, service } = await createAppWithUser()
    const seen: unknown[] = []

    app.on('login', (result: unknown) => seen.push(result))
    await expect(service.create({ ...LOGIN, password: 'wrong' }, { provider: 'rest' })).rejects.toThrow()

    expect(seen).toEqual([])
  })

  it('come after the connection is up to date', async () => {
    const { app, service, user } = await createAppWithUser()
    const connection: any = {}
    const params = { provider: 'socketio', connection }
    const seen: unknown[] = []

    app.on('login', () => seen.push({ ...connection }))
    app.on('logout', () => seen.push({ ...connection }))

    const { accessToken } = await service.create(LOGIN, params)
    const authentication = { strategy: 'jwt', accessToken }

    await service.remove(null, { ...params, authentication })

    expect(seen).toEqual([{ user, authentication }, {}])
  })

  it('whose listener fails are reported with the context of the call', async () => {
    const { app, service } = await createAppWithUser()
    const reported: unknown[][] = []
    const fail = () => {
      throw new Error('Not today')
    }

    app.on('error', (...args: unknown[]) => reported.push(args))
    app.on('login', fail).on('logout', fail)

    const params = { provider: 'rest', query: {} }
    const login = await callService(service, { method: 'create', data: LOGIN, params })
    const authentication = { strategy: 'jwt', accessToken: login.result.accessToken }
    const logout = await callService(service, {
      method: 'remove',
      id: null,
      params: { ...params, authentication }
    })

    expect(reported.map(([, context]) => context)).toEqual([login, logout])
    expect(reported[0]?.[1]).toBe(login)
    expect(reported[1]?.[1]).toBe(logout)
  })

  it('do no harm when a listener fails, and tell the others', async () => {
    const { app, service } = await createAppWithUser()
    const [thrown, rejected] = [new Error('Thrown'), new Error('Rejected')]
    const reported: unknown[] = []
    const seen: string[] = []

    app.on('error', (error: unknown) => reported.push(error))
    app.on('login', () => {
      throw thrown
    })
    app.on('login', async () => {
      throw rejected
    })
    app.on('login', () => seen.push('last'))

    expect(await service.create(LOGIN, { provider: 'rest' })).toHaveProperty('accessToken')
    expect(seen).toEqual(['last'])
    expect(reported).toEqual([thrown, rejected])
  })
})
