import { describe, expect, it } from 'vitest'
import { decide } from '../../src/sessions/decide.ts'
import type { StoredSession } from '../../src/sessions/types.ts'

const DAY = 86_400_000
const TIMES = { grace: 10_000, idle: 14 * DAY }

/** Refreshed at 0, for the fourth time. */
const SESSION: StoredSession = {
  id: 'session',
  userId: '1',
  counter: 5,
  seen: 0,
  refused: 0,
  fingerprints: null,
  loginAt: 0,
  refreshedAt: 0,
  expiresAt: 30 * DAY,
  device: null,
  address: null
}

describe('a refresh token', () => {
  it.each<[string, number, number, Partial<StoredSession>, object]>([
    [
      'that is current refreshes',
      5,
      20_000,
      {},
      { kind: 'refresh', changes: { counter: 6, refreshedAt: 20_000 } }
    ],
    [
      'that is ahead, of a store restored from a backup, is accepted',
      9,
      20_000,
      {},
      { kind: 'refresh', changes: { counter: 10, refreshedAt: 20_000 } }
    ],
    ['one behind within the grace gets the current one', 4, 10_000, { seen: 5 }, { kind: 'repeat' }],
    [
      'one behind within the grace gets it, at any time',
      4,
      DAY + 10_000,
      { seen: 5, refreshedAt: DAY },
      { kind: 'repeat' }
    ],
    ['one behind within the grace of another clock, too', 4, -10_000, { seen: 5 }, { kind: 'repeat' }],
    [
      'one behind later gets the current one, as long as that was not refreshed',
      4,
      3_600_000,
      { seen: 4 },
      { kind: 'repeat' }
    ],
    [
      'one behind later is refused when the current one was used',
      4,
      10_001,
      { seen: 5 },
      { kind: 'refuse', changes: { refused: 5 } }
    ],
    [
      'that was refused ends the session at its second use',
      4,
      10_002,
      { seen: 5, refused: 5 },
      { kind: 'end', cause: 'reuse' }
    ],
    [
      'that was refused ends the session although a clock went back',
      4,
      5000,
      { seen: 5, refused: 5 },
      { kind: 'end', cause: 'reuse' }
    ],
    ['two behind ends the session, also within the grace', 3, 1, {}, { kind: 'end', cause: 'reuse' }],
    [
      'of a session that is over by its absolute end',
      5,
      30 * DAY,
      { refreshedAt: 29 * DAY },
      { kind: 'end', cause: 'expired' }
    ],
    ['of a session that was not refreshed', 5, 14 * DAY, {}, { kind: 'end', cause: 'idle' }]
  ])('%s', (_name, counter, now, changes, expected) => {
    expect(decide({ ...SESSION, ...changes }, counter, now, TIMES)).toEqual(expected)
  })
})
