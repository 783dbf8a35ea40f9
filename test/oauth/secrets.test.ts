import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { unseal } from '../../src/authentication/seal.ts'
import { parseCookies } from '../../src/utils/cookie.ts'
import { SECRET } from '../support/login.ts'
import { CLIENT, type OpenidProvider, startOpenidProvider } from '../support/oidc.ts'
import { denyAtProvider, logInAtProvider, UserAgent } from '../support/user-agent.ts'
import { allow, begin, logIn, PAGE, readHash, startOAuth, transports } from './app.ts'

const WREN = { wren: { email: 'wren@example.org', email_verified: true } }

const HEADERS = {
  'User-Agent': 'a-browser-of-the-wren',
  'X-Secret': 'a-header-that-a-proxy-adds',
  'Accept-Language': 'a-language-of-wrens',
  Referer: `${PAGE}/a-page-of-the-wren`
}

/** Everything that nobody but the two servers may see. */
function getSecrets({ tokens }: OpenidProvider): string[] {
  const answers = tokens.map((text) => JSON.parse(text)).filter(({ access_token }) => access_token)

  return [
    SECRET,
    CLIENT.secret,
    ...answers.map(({ access_token }) => access_token),
    ...answers.flatMap(({ id_token }) => id_token.split('.').slice(1))
  ]
}

/** A text as it is, and as base64 of any bytes around it. */
function toForms(text: string): string[] {
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.from(`${' '.repeat(shift)}${text}`)
      .toString('base64')
      // What depends on the neighbours.
      .slice(shift === 0 ? 0 : 4, -4)
  )

  return [
    text,
    encodeURIComponent(text),
    Buffer.from(text).toString('hex'),
    ...shifted,
    ...shifted.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))
  ]
}

function expectNothing(text: string, secrets: readonly string[]): void {
  const bytes = Buffer.from(text, 'base64').toString('latin1')

  for (const secret of secrets) {
    for (const form of toForms(secret)) expect(text.includes(form), secret.slice(0, 12)).toBe(false)
    expect(bytes.includes(secret), secret.slice(0, 12)).toBe(false)
  }
}

describe.each(Object.keys(transports))('through %s', (transport) => {
  it('no cookie, body or header has anything of the tokens, the headers or the secrets', async () => {
    const provider = await startOpenidProvider(WREN)

    for (const delivery of ['hash', 'code', 'cookie']) {
      const server = await startOAuth(
        {
          providers: { nest: provider.openid },
          oauth: { origins: [PAGE], delivery },
          settings: { jwt: { cookie: 'session' } }
        },
        transport
      )
      const agent = server.createAgent()

      allow(provider, server, 'nest')

      const begun = await begin(server, agent, 'nest', '?redirect=/x', HEADERS)
      const callback = await logInAtProvider(agent, begun.location, 'wren')
      const end = await agent.request(callback, { headers: HEADERS })
      const again = await agent.request(callback, { headers: HEADERS })
      const secrets = getSecrets(provider)

      expect(secrets.length).toBeGreaterThan(4)
      expect(end.status).toBe(303)

      for (const response of [begun.response, end, again]) {
        const cookies = response.headers.getSetCookie()
        const texts = [...cookies, await response.text(), response.headers.get('location') as string]

        for (const text of texts) expectNothing(text, [...secrets, ...Object.values(HEADERS).slice(0, 3)])
      }
    }
  })

  it('the cookie of a login holds what the callback needs, and nothing of the request', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth(
      { providers: { nest: provider.openid }, oauth: { origins: [PAGE] } },
      transport
    )
    const { response, state } = await begin(
      server,
      server.createAgent(),
      'nest',
      '?redirect=/x&for=tea',
      HEADERS
    )
    const [value] = [...parseCookies(response.headers.getSetCookie()).values()]
    const login: any = unseal(value as string, SECRET, 'oauth login')

    expect(login).toEqual({
      redirect: '/x',
      query: { for: 'tea' },
      state,
      verifier: expect.stringMatching(/^[\w-]{43,}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      provider: 'nest',
      expiresAt: expect.any(Number),
      page: PAGE
    })
  })
})

it('errors that the application hears of have nothing of them', async () => {
  const provider = await startOpenidProvider(WREN)
  const server = await startOAuth({
    providers: { nest: provider.openid },
    oauth: { redirect: PAGE },
    configure: (app) => {
      app.service('users').hooks({
        before: {
          create: [
            () => {
              throw new Error('There is no room')
            }
          ]
        }
      })
    }
  })
  const errors: any[] = []

  server.app.on('error', (...values: any[]) => errors.push(values))
  allow(provider, server, 'nest')

  const response = await logIn(server, server.createAgent(), 'nest', 'wren', '', HEADERS)

  expect(readHash(response).get('error')).toBe('There is no room')
  expect(errors).toHaveLength(1)

  for (const [error] of errors) {
    const text = `${error.stack} ${JSON.stringify(error)} ${JSON.stringify({ ...error })}`

    expectNothing(text, [...getSecrets(provider), ...Object.values(HEADERS).slice(0, 3)])
  }
})

it('what a process writes down has nothing of them, whatever is switched on', async () => {
  const provider = await startOpenidProvider(WREN)
  const { origin, output, stop } = await startProcess(provider)
  const secrets: string[] = []

  provider.allow(`${origin}/oauth/nest/callback`)

  async function request(agent: UserAgent, url: string): Promise<Response> {
    const response = await agent.request(url, { headers: HEADERS })

    secrets.push(
      ...[...agent.cookies].flatMap(([host, jar]) => (origin.includes(host) ? [...jar.values()] : []))
    )

    return response
  }

  async function start(agent: UserAgent): Promise<string> {
    return (await request(agent, `${origin}/oauth/nest`)).headers.get('location') as string
  }

  const [wren, robin, shy, thief] = [new UserAgent(), new UserAgent(), new UserAgent(), new UserAgent()]
  const callback = await logInAtProvider(wren, await start(wren), 'wren')
  const end = await request(wren, callback)
  const accessToken = readHash(end).get('access_token') as string

  expect(accessToken).toBeTruthy()
  expect((await request(thief, callback)).headers.get('location')).toContain('#error=')

  const failed = await request(robin, await logInAtProvider(robin, await start(robin), 'robin'))

  expect(failed.headers.get('location')).toContain('#error=')

  const denied = await request(shy, await denyAtProvider(shy, await start(shy)))

  expect(denied.headers.get('location')).toContain('#error=')
  await fetch(`${origin}/notes`, { headers: { ...HEADERS, Authorization: `Bearer ${accessToken}` } })
  await fetch(`${origin}/authentication`, {
    method: 'DELETE',
    headers: { ...HEADERS, Authorization: `Bearer ${accessToken}` }
  })

  // With a code that the provider does not know.
  const forged = new URL(await logInAtProvider(wren, await start(wren), 'wren'))

  forged.searchParams.set('code', 'a-code-of-the-thief')
  await request(wren, forged.href)
  await provider.stop()
  await request(wren, await start(wren).then(() => `${origin}/oauth/nest`))
  await stop()

  const written = output()

  expect(written).toContain('alula:oauth')
  expect(written).toContain('There is no room for robins')

  for (const secret of [
    ...getSecrets(provider),
    ...secrets.filter((value) => value !== ''),
    ...accessToken.split('.').slice(1),
    new URL(callback).searchParams.get('code') as string,
    'a-code-of-the-thief',
    ...Object.values(HEADERS)
  ]) {
    expect(written.includes(secret), secret.slice(0, 12)).toBe(false)
  }
})

async function startProcess(provider: OpenidProvider) {
  const folder = mkdtempSync(join(tmpdir(), 'alula-oauth-'))
  const file = join(folder, 'server.cjs')

  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await build({
    entryPoints: [join(import.meta.dirname, 'server.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    alias: { '#debug': 'debug' },
    logLevel: 'error'
  })

  const child = spawn(process.execPath, [file], {
    env: {
      PATH: process.env.PATH,
      DEBUG: '*',
      SECRET,
      CLIENT_SECRET: CLIENT.secret,
      ISSUER: provider.issuer
    }
  })
  let written = ''

  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()))

  async function stop(): Promise<void> {
    child.kill()
    await closed
  }

  onTestFinished(stop)

  const origin = await new Promise<string>((resolve, reject) => {
    child.once('close', () => reject(new Error(written)))
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        written += data

        const address = /listens at (http\S+)/.exec(written)?.[1]

        if (address) resolve(address)
      })
    }
  })

  return { origin, stop, output: () => written }
}
