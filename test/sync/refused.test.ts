import { expect, it } from 'vitest'
import { startProxy } from '../support/proxy.ts'
import { describeOwnRedis, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { payloads, startProcess } from './app.ts'
import { connectTo, hears, numbers, openGaps, refuse, send } from './sending.ts'

const GAP = { services: ['things'], position: expect.any(String) }

describeOwnRedis('events that Redis refuses while it takes later ones', () => {
  it('reach the connections of their process in order, and are one gap for all', async () => {
    const redis = await startRedis()
    const proxy = await startProxy(redis.url)
    const client = await connectTo(redis.url)
    const one = await startProcess({ redis: proxy.url, maxDelay: 60_000 })
    const other = await startProcess({ redis: redis.url })
    const told = [openGaps(one), openGaps(other)]

    send(one, 0, 1)
    for (const process of [one, other]) await hears(process, [0])
    // The process goes on to write, because it does not know of the refusals.
    proxy.mute()
    await refuse(client, 2, () => send(one, 1, 3))
    send(one, 3, 4)
    await hears(other, [0, 3])
    proxy.mend()
    await until(() => expect(told).toEqual([[GAP], [GAP]]))
    expect(payloads(one)).toEqual(numbers(0, 4))
    send(one, 4, 5)
    await hears(other, [0, 3, 4])
    await hears(one, numbers(0, 5))
    for (const { gaps } of [one, other]) expect(gaps).toEqual([{ services: ['things'] }])
    expect(told).toEqual([[GAP], [GAP]])
  })
})
