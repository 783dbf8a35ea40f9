import { createServer } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { MemoryRevocationStore } from '../../src/authentication.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'
import { defer } from '../support/deferred.ts'
import { listen } from '../support/server.ts'
import { createTable, describeDatabases } from '../support/sql.ts'
import { createApp, createAppWithUser, LOGIN, OTHER_SECRET, SECRET } from './app.ts'

const INVALID = {
  name: 'NotAuthenticated',
  code: 401,
  message: 'Invalid code: it is not one of ours, has been used, or is too old'
}
const PURPOSE = 'new-password'

async function open(settings: object = {}) {
  const { app, user, service } = await createAppWithUser({ settings: { codes: 'codes', ...settings } })

  app.use('codes', memory(), { methods: [] })

  return { app, user, service, redeem: (claim: object, params = {}) => service.redeemCode(claim, params) }
}

function moveClock(time: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + time })
}

describe.each([
  ['a long code', {}],
  ['a code with digits', { digits: 6 }]
])('%s', (_kind, options) => {
  it('works once, of many at one moment too', async () => {
    const { service, user, redeem } = await open()
    const code = await service.issueCode({ purpose: PURPOSE, subject: user.id, ...options })
    const claim = { code, purpose: PURPOSE, subject: user.id }
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => redeem(claim)))
    const right = results.filter(({ status }) => status === 'fulfilled') as PromiseFulfilledResult<any>[]

    expect(right).toHaveLength(1)
    expect(right[0]?.value).toMatchObject({ subject: String(user.id), user: { email: LOGIN.email } })
    await expect(redeem(claim)).rejects.toMatchObject(INVALID)
  })

  it('works for its purpose and its subject alone', async () => {
    const { service, user, app, redeem } = await open()
    const other = await app.service('users').create({ email: 'ada@example.org', password: 'x' })
    const code = await service.issueCode({ purpose: PURPOSE, subject: user.id, ...options })

    for (const claim of [
      { code, purpose: 'login', subject: user.id },
      { code, purpose: PURPOSE, subject: other.id },
      { code: `${code}1`, purpose: PURPOSE, subject: user.id },
      { code: '', purpose: PURPOSE, subject: user.id },
      { code: { $ne: null }, purpose: PURPOSE, subject: user.id },
      { code: undefined, purpose: PURPOSE, subject: user.id }
    ]) {
      await expect(redeem(claim)).rejects.toMatchObject(INVALID)
    }

    expect(await redeem({ code, purpose: PURPOSE, subject: user.id })).toMatchObject({ user: {} })
  })

  it('is refused with a subject that is not an id, whose guesses would not be counted', async () => {
    const { service, user, redeem } = await open()
    const code = await service.issueCode({ purpose: PURPOSE, subject: user.id, ...options })

    for (const subject of [
      [user.id],
      { toString: () => String(user.id) },
      { $ne: null },
      null,
      '',
      NaN,
      true
    ]) {
      await expect(redeem({ code, purpose: PURPOSE, subject })).rejects.toMatchObject({
        name: 'BadRequest',
        message: "Invalid 'subject': expected a string that is not empty or a number"
      })
    }

    expect(await redeem({ code, purpose: PURPOSE, subject: user.id })).toMatchObject({ user: {} })
  })

  it('ends after its time, which is ten minutes when nothing else is said', async () => {
    const { service, user, redeem } = await open()
    const issue = (expiresIn?: string | number) =>
      service.issueCode({ purpose: PURPOSE, subject: user.id, expiresIn, ...options })
    const redeemAfter = async (time: number, expiresIn?: string | number) => {
      const code = await issue(expiresIn)

      moveClock(time)

      return redeem({ code, purpose: PURPOSE, subject: user.id })
    }

    expect(await redeemAfter(9 * 60_000)).toMatchObject({ user: {} })
    await expect(redeemAfter(10 * 60_000)).rejects.toMatchObject(INVALID)
    expect(await redeemAfter(59 * 60_000, '1h')).toMatchObject({ user: {} })
    await expect(redeemAfter(31_000, 30)).rejects.toMatchObject(INVALID)
  })

  it('is used by no two calls when it ends while their user is loaded', async () => {
    const { app, service, user, redeem } = await open()
    const code = await service.issueCode({ purpose: PURPOSE, subject: user.id, ...options })
    const loaded = defer()
    const isAsked = defer()
    let waiting = 0

    app.service('users').hooks({
      before: {
        get: [
          async () => {
            if (++waiting === 2) isAsked.resolve()
            await loaded.promise
          }
        ]
      }
    })

    const claim = { code, purpose: PURPOSE, subject: user.id }
    const done = Promise.allSettled([redeem(claim), redeem(claim)])

    await isAsked.promise
    moveClock(10 * 60_000)
    loaded.resolve()
    expect((await done).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it('ends with a change of the password, in a process too that does not know that it was used', async () => {
    const { app, service, user, redeem } = await open()
    const code = await service.issueCode({ purpose: PURPOSE, subject: user.id, ...options })

    await app.service('users').patch(user.id, { password: 'battery staple' })
    await expect(redeem({ code, purpose: PURPOSE, subject: user.id })).rejects.toMatchObject(INVALID)
  })

  it('ends with a change of the fields that it names', async () => {
    const { app, service, user, redeem } = await open()
    const issue = () =>
      service.issueCode({ purpose: 'verify', subject: user.id, fields: ['isVerified'], ...options })
    const codes = [await issue(), await issue()]

    await app.service('users').patch(user.id, { name: 'Wren' })
    expect(await redeem({ code: codes[1], purpose: 'verify', subject: user.id })).toMatchObject({ user: {} })

    const code = await issue()

    await app.service('users').patch(user.id, { isVerified: true })
    for (const each of [codes[0], code]) {
      await expect(redeem({ code: each, purpose: 'verify', subject: user.id })).rejects.toMatchObject(INVALID)
    }
  })

  it('is refused for who is gone, or blocked', async () => {
    const { app, service, user, redeem } = await open({ isActive: ({ banned }: any) => !banned })
    const code = await service.issueCode({ purpose: PURPOSE, subject: user.id, ...options })
    const claim = { code, purpose: PURPOSE, subject: user.id }

    await app.service('users').patch(user.id, { banned: true })
    await expect(redeem(claim)).rejects.toMatchObject(INVALID)
    await app.service('users').remove(user.id)
    await expect(redeem(claim)).rejects.toMatchObject(INVALID)
    await expect(service.issueCode({ purpose: PURPOSE, subject: 99, ...options })).rejects.toMatchObject({
      code: 404
    })
  })

  it('stays valid when the secret is replaced, as long as the old one is listed', async () => {
    const { app, service, user, redeem } = await open()
    const code = await service.issueCode({ purpose: PURPOSE, subject: user.id, ...options })
    const claim = { code, purpose: PURPOSE, subject: user.id }
    const rotate = (secret: unknown) => app.set('authentication', { ...app.get('authentication'), secret })

    rotate(OTHER_SECRET)
    await expect(redeem(claim)).rejects.toMatchObject(INVALID)
    rotate([OTHER_SECRET, SECRET])
    expect(await redeem(claim)).toMatchObject({ user: { email: LOGIN.email } })
    expect(await app.service('codes')._find({ query: {} })).toEqual([])
  })

  it('counts as a failed login', async () => {
    const { app, service, user } = await open({ budget: { enforce: true, points: 5 } })
    const url = await listen(createServer(toListener(app, { trustProxy: 1, logger: false })))
    const events: any[] = []

    app.on('login:failed', (event: any) => events.push(event))
    app.use('redeem', {
      create: async ({ code }: any, params: any) => {
        const redeemed = await service.redeemCode({ code, purpose: PURPOSE, subject: user.id }, params)

        return service.issueToken({ user: redeemed.user }, params)
      }
    })
    await app.setup()

    const send = async (code: string, address: string) =>
      (
        await fetch(`${url}/redeem`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
          body: JSON.stringify({ code })
        })
      ).status
    const code = await service.issueCode({ purpose: PURPOSE, subject: user.id, ...options })

    for (let i = 0; i < 5; i++) expect(await send('000000x', '192.0.2.1')).toBe(401)
    expect(await send(code, '192.0.2.1')).toBe(429)
    expect(await send(code, '192.0.2.2')).toBe(201)
    expect(events).toHaveLength(6)
    expect(events[0]).toMatchObject({ strategy: 'code', cause: 'refused', address: '192.0.2.1' })
    expect(JSON.stringify(events)).not.toContain(code)
  })
})

describe('a code with digits', () => {
  it('cannot be made of what is kept of it', async () => {
    const { app, service, user, redeem } = await open()

    await service.issueCode({ purpose: PURPOSE, subject: user.id, digits: 6 })

    const [{ code }] = (await app.service('codes').find()) as any

    await expect(redeem({ code, purpose: PURPOSE, subject: user.id })).rejects.toMatchObject(INVALID)
    await expect(redeem({ code, purpose: PURPOSE })).rejects.toMatchObject(INVALID)
  })

  it('has as many as it says, and the store has neither it nor whom it is for', async () => {
    const { app, service, user } = await open()

    for (const digits of [6, 8, 12]) {
      const code = await service.issueCode({ purpose: PURPOSE, subject: user.id, digits })
      const records = await app.service('codes')._find({ query: {} })

      expect(code).toMatch(new RegExp(`^\\d{${digits}}$`))
      expect(records).toEqual([
        { id: expect.stringMatching(/^[\w-]{43}$/), code: expect.any(String), expiresAt: expect.any(Number) }
      ])
      expect(JSON.stringify(records)).not.toContain(code)
    }
  })

  it('replaces the one before', async () => {
    const { service, user, redeem } = await open()
    const issue = () => service.issueCode({ purpose: PURPOSE, subject: user.id, digits: 12 })
    const [first, second] = [await issue(), await issue()]

    await expect(redeem({ code: first, purpose: PURPOSE, subject: user.id })).rejects.toMatchObject(INVALID)
    expect(await redeem({ code: ` ${second} `, purpose: PURPOSE, subject: user.id })).toMatchObject({
      user: {}
    })
  })

  it('stays when the one before is redeemed while it is issued', async () => {
    let issue: (() => Promise<string>) | undefined
    let newer = ''
    const { service, user, redeem } = await open({
      revocation: {
        isRevoked: async () => false,
        revoke: async () => {
          newer ||= (await issue?.()) ?? ''

          return true
        }
      }
    })
    const claim = { purpose: PURPOSE, subject: user.id }

    issue = () => service.issueCode({ ...claim, digits: 6 })

    const code = await issue()

    expect(await redeem({ ...claim, code })).toMatchObject({ user: { email: LOGIN.email } })
    expect(newer).toMatch(/^\d{6}$/)
    expect(await redeem({ ...claim, code: newer })).toMatchObject({ user: { email: LOGIN.email } })
  })

  it('replaces the one before while a secret is replaced', async () => {
    const { app, service, user, redeem } = await open()
    const issue = () => service.issueCode({ purpose: PURPOSE, subject: user.id, digits: 12 })
    const first = await issue()

    app.set('authentication', { ...app.get('authentication'), secret: [OTHER_SECRET, SECRET] })

    const second = await issue()

    await expect(redeem({ code: first, purpose: PURPOSE, subject: user.id })).rejects.toMatchObject(INVALID)
    expect(await redeem({ code: second, purpose: PURPOSE, subject: user.id })).toMatchObject({ user: {} })
    expect(await app.service('codes')._find({ query: {} })).toEqual([])
  })

  it('is issued by each of several calls at once, of which one is the latest', async () => {
    const { app, service, user, redeem } = await open()
    const issue = () => service.issueCode({ purpose: PURPOSE, subject: user.id, digits: 6 })
    const codes = await Promise.all([issue(), issue(), issue()])

    expect(await app.service('codes')._find({ query: {} })).toHaveLength(1)

    const results = await Promise.allSettled(
      codes.map((code) => redeem({ code, purpose: PURPOSE, subject: user.id }))
    )

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('needs a store', async () => {
    const app = createApp()
    const service = app.service('authentication')
    const user = await app.service('users').create({ email: 'a', password: 'b' })

    await expect(service.issueCode({ purpose: PURPOSE, subject: user.id, digits: 6 })).rejects.toThrow(
      "Codes with digits are kept: the option 'codes' of the authentication configuration has to name a service of an adapter"
    )
  })
})

it('a long code fits into a URL, and shows nothing', async () => {
  const { service, user } = await open()
  const code = await service.issueCode({ purpose: PURPOSE, subject: user.id })

  expect(code).toMatch(/^[\w-]{100,500}$/)
  expect(Buffer.from(code, 'base64url').toString('latin1')).not.toContain('subject')
})

it('one process knows of another that a code was used, by the store of revoked tokens', async () => {
  const revocation = new MemoryRevocationStore()
  const users = memory()
  const [one, two] = [1, 2].map(() => createApp({ settings: { revocation }, users }))
  const user = await one.service('users').create({ email: 'a', password: 'b' })
  const code = await one.service('authentication').issueCode({ purpose: 'login', subject: user.id })

  await one.service('authentication').redeemCode({ code, purpose: 'login' }, {})
  await expect(
    two.service('authentication').redeemCode({ code, purpose: 'login' }, {})
  ).rejects.toMatchObject(INVALID)
})

it('without an entity the subject is any text', async () => {
  const app = createApp({ settings: { entity: null, service: undefined }, strategies: {} })
  const service = app.service('authentication')
  const code = await service.issueCode({ purpose: 'invite', subject: 'ada@example.org' })

  expect(await service.redeemCode({ code, purpose: 'invite' }, {})).toEqual({ subject: 'ada@example.org' })
})

it.each<[object | undefined, string]>([
  [undefined, 'Invalid options of issueCode: expected an object'],
  [{ subject: 1 }, "Invalid option 'purpose' of issueCode: expected a string that is not empty"],
  [{ purpose: 'x' }, "Invalid option 'subject' of issueCode: expected an id"],
  [{ purpose: 'x', subject: 1, expiresIn: '10' }, "Invalid option 'expiresIn' of issueCode"],
  ...['never', 'soon', NaN, Infinity, -1, 0].map((expiresIn): [object, string] => [
    { purpose: 'x', subject: 1, expiresIn },
    "Invalid option 'expiresIn' of issueCode"
  ]),
  [
    { purpose: 'x', subject: 1, digits: 4 },
    "Invalid option 'digits' of issueCode: expected an integer from 6 to 12, got 4"
  ],
  [{ purpose: 'x', subject: 1, field: [] }, "Unknown option 'field' of issueCode. Did you mean 'fields'?"]
])('issueCode(%j) is refused', async (options, message) => {
  const { service } = await open()

  await expect(service.issueCode(options as any)).rejects.toThrow(message)
})

describeDatabases('codes with digits in a table', (database) => {
  it('are kept, replaced and used once', async () => {
    const Model = await createTable(
      database,
      'alula_codes',
      'id varchar(43) primary key, code text, "expiresAt" bigint'.replaceAll(
        '"',
        database.name === 'MariaDB' ? '`' : '"'
      )
    )
    const { app, user, service } = await createAppWithUser({ settings: { codes: 'codes' } })

    app.use('codes', kysely({ Model, name: 'alula_codes' }), { methods: [] })
    await app.setup()
    await service.issueCode({ purpose: PURPOSE, subject: user.id, digits: 6 })

    await Promise.all(
      Array.from({ length: 5 }, () => service.issueCode({ purpose: PURPOSE, subject: user.id, digits: 6 }))
    )

    const code = await service.issueCode({ purpose: PURPOSE, subject: user.id, digits: 6 })
    const claim = { code, purpose: PURPOSE, subject: user.id }
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => service.redeemCode(claim, {})))

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(
      results.filter(({ status }) => status === 'rejected').map(({ reason }: any) => reason.code)
    ).toEqual(Array(9).fill(401))
    expect(await app.service('codes')._find({ query: {} })).toEqual([])
  })
})
