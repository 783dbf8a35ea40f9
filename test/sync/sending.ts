import { createClient } from 'redis'
import { expect, onTestFinished } from 'vitest'
import { openLog } from '../../src/log/log.ts'
import { until } from '../support/until.ts'
import { type Process, payloads } from './app.ts'

export function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

/** Sends events that are numbers. */
export function send({ things }: Process, from: number, to: number): void {
  for (const number of numbers(from, to)) things.emit('custom', number)
}

export async function hears(process: Process, expected: readonly number[]): Promise<void> {
  await until(() => expect(process.heard).toHaveLength(expected.length))
  expect(payloads(process)).toEqual(expected)
}

/** A client for the test itself. */
export async function connectTo(url: string) {
  const client = createClient({ url })

  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.destroy())

  return client
}

/** Waits until Redis has an event with this number. */
export async function drained(url: string, prefix: string, number: number): Promise<void> {
  const client = await connectTo(url)

  await until(async () => {
    const latest = (await client.xRevRange(`${prefix}:events`, '+', '-', { COUNT: 20 })) ?? []

    expect(latest.map(({ message }) => message.events)).toContainEqual(
      expect.stringContaining(`"data":${number}}`)
    )
  })
}

/** Has Redis refuse what is written, as without memory, until it has refused this many entries. */
export async function refuse(
  client: Awaited<ReturnType<typeof connectTo>>,
  count: number,
  write: () => void = () => undefined
): Promise<void> {
  await client.configSet('maxmemory', '1')
  write()
  await until(async () => expect(await client.info('errorstats')).toContain(`errorstat_OOM:count=${count}`))
  await client.configSet('maxmemory', '0')
}

/** The gaps that connections of a process are told of. */
export function openGaps({ app }: { app: any }): unknown[] {
  const gaps: unknown[] = []

  openLog(app, {
    connections: new Set([{}]),
    tellPosition: () => undefined,
    tellGap: (gap) => gaps.push(gap)
  })

  return gaps
}
