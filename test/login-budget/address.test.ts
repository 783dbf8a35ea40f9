import { expect, it } from 'vitest'
import { toAddressKey } from '../../src/login-budget/address.ts'

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['[0:0:0:0:0:ffff:c000:0207]:80', '192.0.2.7'],
  ['192.0.2.7:4711', '192.0.2.7'],
  ['[2001:db8:1:2:3:4:5:6]:443', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2:3:4:5:6]', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['1:2:3:4:5:6:7::', '1:2:3:4::/64']
])('%s counts as %s', (address, key) => {
  expect(toAddressKey(address)).toBe(key)
})

it('a long address takes no long time', () => {
  // The time grew with the square: this would take minutes.
  expect(toAddressKey(`192.0.2.${'1'.repeat(500_000)}x`)).toBeUndefined()
})

it.each([undefined, '', 'unknown', '_hidden', '192.0.2', '[]', 'a.example', '300.1.1.1'])(
  '%s is no address',
  (address) => {
    expect(toAddressKey(address)).toBeUndefined()
  }
)
