import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

// Verifying an HMAC went wrong below this version of what `jsonwebtoken` stands on (GHSA-869p-cjfg-cm3x).
const FIRST_SAFE_JWS = [4, 0, 1]

it('every locked version of jws verifies HMACs right', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))
  const versions = Object.entries<{ version: string }>(packages)
    .filter(([path]) => path.endsWith('node_modules/jws'))
    .map(([, { version }]) => version.split('.').map(Number))

  expect(versions.length).toBeGreaterThan(0)

  for (const version of versions) {
    const [difference = 0] = version
      .map((part, place) => part - (FIRST_SAFE_JWS[place] as number))
      .filter((part) => part !== 0)

    expect(difference, version.join('.')).toBeGreaterThanOrEqual(0)
  }
})
