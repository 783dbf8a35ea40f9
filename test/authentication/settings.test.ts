import { describe, expect, it } from 'vitest'
import { createAppWithUser, LOGIN } from './app.ts'

/** An application, and how often its setting was read while something ran. */
async function createCounted() {
  const { app, service } = await createAppWithUser()
  let reads = 0
  const { get } = app

  app.get = function (this: unknown, name: string) {
    reads += Number(name === 'authentication')

    return get.call(this as never, name as never)
  } as never

  async function count(run: () => Promise<unknown>): Promise<number> {
    reads = 0
    await run()

    return reads
  }

  return { app, service, count }
}

describe('the configuration', () => {
  it('of a login is read a few times: for the call, and for each strategy', async () => {
    const { service, count } = await createCounted()

    expect(await count(() => service.create(LOGIN, { provider: 'rest' }))).toBeLessThanOrEqual(10)
  })

  it('of a call with a token too', async () => {
    const { service, count } = await createCounted()
    const { accessToken } = await service.create(LOGIN)
    const credentials = { strategy: 'jwt', accessToken }

    expect(
      await count(() => service.authenticate(credentials, { provider: 'rest' }, 'jwt'))
    ).toBeLessThanOrEqual(5)
  })

  it('that changes in place while a login runs counts from the next call on', async () => {
    const { app, service } = await createAppWithUser()
    const setting = app.get('authentication')

    app.service('users').hooks({
      before: {
        find: [
          () => {
            setting.entity = 'account'
          }
        ]
      }
    })

    expect(Object.keys(await service.create(LOGIN))).toContain('user')

    const next = await service.create(LOGIN)

    expect(Object.keys(next)).toContain('account')
    expect(Object.keys(next)).not.toContain('user')
  })

  it.each([
    ['a login', (service: any) => service.create(LOGIN)],
    ['a direct call', (service: any) => service.authenticate(LOGIN, {}, 'local')]
  ])('that changes in place counts for %s that comes after', async (_title, call) => {
    const { app, service } = await createAppWithUser()

    await call(service)
    app.get('authentication').local.errorMessage = 'No'
    app.get('authentication').local.usernameField = 'name'
    await expect(call(service)).rejects.toMatchObject({ code: 401, message: 'No' })
  })
})

it('other services see nothing of a login whose params they get', async () => {
  const { app, service } = await createAppWithUser()
  const seen: unknown[] = []

  app.service('users').hooks({
    before: { all: [({ params }: any) => void seen.push(...Object.getOwnPropertySymbols(params))] }
  })
  await service.create(LOGIN)

  expect(seen).toEqual([])
})
