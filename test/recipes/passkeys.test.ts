import { expect, it } from 'vitest'
import { describeChromium } from '../support/chromium.ts'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { extendOwnNotes } from './own-notes.ts'

const [server, page] = readBlocks(await readPage('recipes/04-passkeys'), 'js') as [string, string]

/** The origin is known when the server listens. */
const code = server
  .replace(/const ORIGIN = .*/, 'let ORIGIN')
  .replace(/const RP_ID = .*/, "const RP_ID = 'localhost'")

const PAGE = `
app.get('/origin', ({ query }, response) => {
  ORIGIN = query.is
  response.end()
})
app.get('/', (_request, response) => response.type('html').send('<script>' + ${JSON.stringify(page)} + '</script>'))`

const EMAILS = `
app.service('users').hooks({
  before: { create: [(context) => { context.data.email = context.data.name + '@example.org' }] }
})`

const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true
} as const

describeChromium('The passkeys of the recipe', (open) => {
  it('log in once for each challenge, which is for one purpose and one user', async () => {
    const program = extendOwnNotes(code, EMAILS, PAGE).replace(
      'await app.listen(3030)',
      "const listening = await app.listen(3030)\nORIGIN = 'http://localhost:' + listening.address().port"
    )
    const { address, waitFor } = await runServer(toModule(program), {
      SECRET: 'a secret of more than thirty-two bytes'
    })
    const [ada, grace] = (await waitFor('tokens')).split(' ').slice(1) as [string, string]
    const { page, context } = await open(`http://${address}`)
    const device = await context.newCDPSession(page)

    await device.send('WebAuthn.enable')

    const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
      options: AUTHENTICATOR
    })
    const run = (script: string): Promise<any> => page.evaluate(script)
    const post = async (path: string, data: object, token?: string) => {
      const response = await fetch(`http://${address}/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
        body: JSON.stringify(data)
      })

      return { status: response.status, body: (await response.json()) as any }
    }

    // Signs without sending.
    const create = (token: string) =>
      run(`post('/passkey/begin', {}, '${token}').then(async (options) => (await navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })).toJSON())`)
    const get = () =>
      run(`post('/passkey/login', {}).then(async (options) => (await navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })).toJSON())`)
    const logIn = (response: unknown) => post('authentication', { strategy: 'passkey', response })

    expect((await post('passkey/begin', {})).status).toBe(401)

    // Made for one user, it is no passkey of another.
    const response = await create(ada)

    expect((await post('passkey/finish', { response }, grace)).status).toBe(400)
    expect((await post('passkey/finish', { response: {} }, ada)).status).toBe(400)
    expect((await logIn(response)).status).toBe(401)
    expect((await post('passkey/finish', { response }, ada)).status).toBe(200)
    expect((await post('passkey/finish', { response }, ada)).status).toBe(400)
    await device.send('WebAuthn.clearCredentials', { authenticatorId })

    const { id } = await run(`addPasskey('${ada}')`)

    expect(await run('logIn()')).toMatchObject({
      accessToken: expect.any(String),
      user: { id: 1, name: 'ada' }
    })
    // The device has it already.
    await expect(run(`addPasskey('${ada}')`)).rejects.toThrow(/InvalidStateError|already/)

    const signed = await get()
    const changed = structuredClone(signed)
    const setOrigin = (origin: string) => fetch(`http://${address}/origin?is=${origin}`)

    changed.response.signature = `${signed.response.signature.slice(0, -8)}AAAAAAAA`
    expect((await logIn(changed)).status).toBe(401)
    expect((await logIn({ ...signed, id: 'another' })).status).toBe(401)
    await setOrigin('https://elsewhere.example.org')
    expect((await logIn(signed)).status).toBe(401)
    await setOrigin(`http://${address}`)
    expect((await logIn({ $gt: '' })).status).toBe(401)
    expect((await logIn(undefined)).status).toBe(401)
    expect((await Promise.all([logIn(signed), logIn(signed)])).map(({ status }) => status).sort()).toEqual([
      201, 401
    ])

    const remove = (token: string) =>
      fetch(`http://${address}/passkeys/${id}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${token}` }
      })

    expect((await remove(grace)).status).toBe(404)
    expect((await remove(ada)).status).toBe(200)
    expect((await logIn(await get())).status).toBe(401)
    await device.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  })
})
