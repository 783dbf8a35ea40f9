// The keys of a real provider: rotated, withdrawn, out of reach.
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createKey, startIssuer } from '../support/issuer.ts'
import { listen } from '../support/server.ts'
import { until } from '../support/until.ts'
import { KEY, MINUTE, moveClock, NEXT, open, setClock, sign } from './issuers-app.ts'

describe('the keys of an issuer', () => {
  it('are found without a name, among several', async () => {
    const issuer = await startIssuer(KEY, NEXT)
    const { read } = await open({ issuers: [issuer] })

    for (const key of [KEY, NEXT]) {
      expect(await read(await sign(issuer, { key: { ...key, kid: undefined } }))).toMatchObject({
        status: 200
      })
    }
    expect(await read(await sign(issuer, { key: { ...createKey(undefined) } }))).toMatchObject({
      status: 401
    })
  })

  it('stay in use while the issuer is away, however long', async () => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({ issuers: [issuer] })

    await read(await issuer.getToken())
    await issuer.stop()

    for (let i = 0; i < 3; i++) {
      moveClock(60 * MINUTE)
      expect(await read(await sign(issuer))).toMatchObject({ status: 200 })
    }
  })

  it('without any, each token is a 503, and then they are there', async () => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({ issuers: [issuer] })
    const [token, forged] = [await issuer.getToken(), await sign(issuer, { key: NEXT })]

    await issuer.stop()
    for (const each of [token, forged, token]) {
      expect(await read(each)).toMatchObject({ status: 503, body: { name: 'Unavailable' } })
    }

    await issuer.start()
    moveClock(1000)
    expect(await read(forged)).toMatchObject({ status: 401 })
    expect(await read(token)).toMatchObject({ status: 200 })
  })

  it('are fetched again after a second also when the clock was set back', async () => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({ issuers: [issuer] })

    await issuer.stop()
    expect(await read(await sign(issuer))).toMatchObject({ status: 503 })
    await issuer.start()
    setClock(-60 * MINUTE)
    moveClock(1000)
    expect(await read(await sign(issuer))).toMatchObject({ status: 200 })
  })

  it('are fetched for a name that is not known, at most once a minute', async () => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({ issuers: [issuer] })

    await read(await issuer.getToken())
    issuer.rotate(NEXT)

    const rotated = await issuer.getToken()

    expect(await read(rotated)).toMatchObject({ status: 401, body: { message: 'jwt key unknown' } })
    expect(issuer.fetched()).toBe(1)
    moveClock(MINUTE)

    const unknown = await sign(issuer, { key: { ...NEXT, kid: 'three' } })
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await read(unknown)).status))

    expect(statuses).toEqual(Array(50).fill(401))
    expect(issuer.fetched()).toBe(2)
    expect(await read(rotated)).toMatchObject({ status: 200 })

    // While it is away, too.
    await issuer.stop()
    moveClock(MINUTE)
    for (let i = 0; i < 3; i++) expect(await read(unknown)).toMatchObject({ status: 503 })
    expect(await read(rotated)).toMatchObject({ status: 200 })

    // Nor before a minute is over.
    await issuer.start()
    expect(await read(unknown)).toMatchObject({ status: 503 })
    expect(issuer.fetched()).toBe(2)
    moveClock(MINUTE)
    expect(await read(unknown)).toMatchObject({ status: 401 })
    expect(issuer.fetched()).toBe(3)
  })

  it('that the issuer has withdrawn go after ten minutes', async () => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({ issuers: [issuer] })

    expect(await read(await sign(issuer))).toMatchObject({ status: 200 })
    issuer.rotate(NEXT)
    moveClock(10 * MINUTE)
    await until(async () => expect(await read(await sign(issuer))).toMatchObject({ status: 401 }))
    expect(await read(await issuer.getToken())).toMatchObject({ status: 200 })
  })

  it('that it has withdrawn let no token in after twenty minutes without any', async () => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({ issuers: [issuer] })

    expect(await read(await sign(issuer))).toMatchObject({ status: 200 })
    issuer.rotate(NEXT)
    moveClock(20 * MINUTE)

    const withdrawn = await sign(issuer)
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await read(withdrawn)).status))

    expect(statuses).toEqual(Array(5).fill(401))
    expect(issuer.fetched()).toBe(2)
  })

  it('that it has withdrawn while it was away go a minute after it is back', async () => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({ issuers: [issuer] })

    expect(await read(await sign(issuer))).toMatchObject({ status: 200 })
    await issuer.stop()
    issuer.rotate(NEXT)
    moveClock(20 * MINUTE)
    expect(await read(await sign(issuer))).toMatchObject({ status: 200 })
    await issuer.start()
    moveClock(MINUTE)
    expect(await read(await sign(issuer))).toMatchObject({ status: 401 })
  })

  it.each([
    ['no JSON', 'x'],
    ['no list', '{}'],
    ['an empty list', '{"keys":[]}'],
    ['more than 256 KiB', `{"keys":[{"kty":"${'x'.repeat(300_000)}"}]}`],
    ['a secret', '{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"one"}]}']
  ])('that are %s let no token in', async (_title, body) => {
    const url = await listen(createServer((_request, response) => response.end(body)))
    const { read } = await open({ issuers: [{ issuer: url, jwks: url }] })

    expect([401, 503]).toContain((await read(await sign({ issuer: url }))).status)
  })
})
