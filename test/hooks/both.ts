import { feathers } from '@feathersjs/feathers'
import { describe } from 'vitest'
import { alula } from '../../src/index.ts'

/** Runs the same tests in alula and in Feathers v5: what they expect is then what v5 really does. */
export function describeBoth(title: string, body: (createApp: () => any) => void): void {
  describe(`${title}, in alula`, () => body(alula))
  describe(`${title}, in Feathers v5`, () => body(feathers))
}
