import { expect, it } from 'vitest'
import alula from '../../../package.json' with { type: 'json' }
import { providers } from '../../../src/oauth/providers.ts'
import manifest from '../package.json' with { type: 'json' }
import { readVersion } from '../src/alula.ts'
import { PRESETS } from '../src/configuration.ts'
import { PEERS } from '../src/manifest.ts'
import { REPLACEMENTS } from '../src/packages.ts'

it('a migration adds the peers of alula in the ranges of alula', () => {
  for (const [, [, owner]] of Object.entries(PEERS))
    expect(REPLACEMENTS).toHaveProperty([`@feathersjs/${owner}`])
  for (const [name, [range]] of Object.entries(PEERS))
    expect(alula.peerDependencies).toMatchObject({ [name]: range })
})

it('the version is that of alula', () => {
  expect(readVersion()).toBe(alula.version)
  expect(manifest.version).toBe(alula.version)
})

it('the providers with a preset are those of alula/oauth', () => {
  expect([...providers.keys()].sort()).toEqual([...PRESETS].sort())
})
