import { expect, it } from 'vitest'
import alula from '../../../package.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }
import { PEER_RANGES, readVersion } from '../src/alula.ts'
import { REPLACEMENTS } from '../src/packages.ts'

it('a migration adds the peers of alula in the ranges of alula', () => {
  const peers = new Set(Object.values(REPLACEMENTS).flatMap((replacement) => replacement.peers ?? []))

  expect(new Set(Object.keys(PEER_RANGES))).toEqual(peers)
  expect(alula.peerDependencies).toMatchObject(PEER_RANGES)
})

it('the version is that of alula', () => {
  expect(readVersion()).toBe(alula.version)
  expect(manifest.version).toBe(alula.version)
})
