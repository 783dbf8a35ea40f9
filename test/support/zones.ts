import { afterAll, beforeAll, describe, expect } from 'vitest'

/** Before UTC, after it with daylight saving, and UTC itself. */
const ZONES = ['Asia/Tokyo', 'America/New_York', 'UTC']

/** Groups tests once for each of three zones, which is that of the process while they run. */
export function describeZones(title: string, define: (zone: string) => void): void {
  describe.each(ZONES)(`${title} in %s`, (zone) => {
    const before = process.env.TZ

    beforeAll(() => setZone(zone))
    afterAll(() => setZone(before))
    define(zone)
  })
}

function setZone(zone: string | undefined): void {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone

  if (zone !== undefined) expect(Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(zone)
}
