import { describe, expect, it } from 'vitest'
import {
  claims,
  EC,
  ecdsa,
  encode,
  expectRefused,
  FORMS,
  good,
  HEADER,
  makeToken,
  open,
  withKey
} from './support/tokens.ts'

// What a client could do with a token: write it in another way, in which it would be revoked by another name.

describe('with a secret', () => {
  // Those of one kind stand in test/authentication/tokens.test.ts.
  it('what is no text in three parts is no token', async () => {
    const token = good()
    const [head, body, signature] = token.split('.') as [string, string, string]

    await expectRefused(
      {},
      {
        nothing: '',
        true: true,
        'an array of parts': [head, body, signature],
        'an object': { toString: token },
        'JSON serialization': { protected: head, payload: body, signature },
        'JSON serialization as a text': JSON.stringify({ protected: head, payload: body, signature }),
        'one part': head,
        'no signature': `${head}.${body}.`,
        'no header': `.${body}.${signature}`,
        'no payload': `${head}..${signature}`,
        'five parts, as encrypted tokens have': `${head}.${body}.${signature}.${body}.${signature}`,
        'a dot behind': `${token}.`,
        'a dot in front': `.${token}`,
        'the header twice': `${head}.${head}.${body}.${signature}`,
        'parts that were exchanged': `${body}.${head}.${signature}`,
        'the token twice': `${token}${token}`,
        'the token twice in a list': `${token},${token}`,
        'a space behind': `${token} `,
        'a line break between': `${head}.\n${body}.${signature}`,
        'a NUL behind': `${token}\0`,
        'a byte order mark': `\ufeff${token}`,
        'quotation marks': `"${token}"`,
        'a scheme': `Bearer ${token}`,
        '90,000 letters': `${head}.${'a'.repeat(90_000)}.${signature}`
      },
      token
    )
  })
})

describe.each(Object.entries(FORMS))('a token of %s', (_alg, { settings, token: create }) => {
  it('cannot be written in another way', async () => {
    const token = create()
    const [head, body, signature] = token.split('.') as [string, string, string]
    const bytes = Buffer.from(signature, 'base64url')
    const twins = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .map((letter) => signature.slice(0, -1) + letter)
      .filter((twin) => twin !== signature && Buffer.from(twin, 'base64url').equals(bytes))
    const tokens: [string, string][] = [
      ...twins.map((twin): [string, string] => ['other bits behind the last', `${head}.${body}.${twin}`]),
      ...['=', '==', '===', 'A', '.', '!', '%3D'].map((end): [string, string] => [end, token + end]),
      ['padding inside', `${head}=.${body}.${signature}`],
      ['a space inside', `${head}.${body}.${signature.slice(0, 9)} ${signature.slice(9)}`],
      ['a line break inside', `${head}.${body}.${signature.slice(0, 9)}\n${signature.slice(9)}`],
      ['an empty end', `${head}.${body}.${signature}`.replace(/\.(?=[^.]*$)/, '..')]
    ]
    const standard = `${head}.${body}.${bytes.toString('base64')}`

    if (standard !== token) tokens.push(['the usual base64', standard])

    // 32, 64 and 256 bytes leave bits over.
    expect(twins.length).toBeGreaterThan(0)
    await expectRefused(settings, tokens, token)
  })

  it('with a single bit flipped is refused', async () => {
    const token = create()
    const [head, body, signature] = token.split('.') as [string, string, string]
    const { authentication } = await open(settings)
    const accepted: string[] = []

    // Remembered from here on.
    expect(await authentication.verifyAccessToken(token)).toMatchObject({ sub: '1' })

    for (const [index, part] of [head, body, signature].entries()) {
      const bytes = Buffer.from(part, 'base64url')

      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = Buffer.from(bytes)

        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))

        const parts = [head, body, signature].with(index, encode(flipped))
        const verified = await authentication.verifyAccessToken(parts.join('.')).then(
          () => parts.join('.'),
          (error: any) => error.code
        )

        if (verified !== 401) accepted.push(`${verified}`)
      }
    }

    expect(accepted).toEqual([])
    expect(await authentication.verifyAccessToken(token)).toMatchObject({ sub: '1' })
  })
})

it.each([
  ['an id', {}],
  ['no id', { jti: undefined }]
])(
  'of a token with %s, the twin that its elliptic signature has is revoked with it',
  async (_title, changes) => {
    const { send, url } = await open(withKey('ES256'))
    const token = makeToken({ ...HEADER, alg: 'ES256' }, claims(changes), ecdsa(EC.privateKey))
    const [head, body, signature] = token.split('.') as [string, string, string]
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
    const bytes = Buffer.from(signature, 'base64url')
    const other = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
    const twin = `${head}.${body}.${encode(
      Buffer.concat([bytes.subarray(0, 32), Buffer.from(other.toString(16).padStart(64, '0'), 'hex')])
    )}`

    expect(await send(token)).toBe(201)
    expect(await send(twin)).toBe(201)

    const response = await fetch(`${url}/authentication`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}`, Connection: 'close' }
    })

    expect(response.status).toBe(200)
    expect(await send(token)).toBe(401)
    expect(await send(twin)).toBe(401)
  }
)
