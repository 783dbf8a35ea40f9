import { randomUUID } from 'node:crypto'
import { createClient } from 'redis'
import { expect, onTestFinished } from 'vitest'
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

/** All entries of a stream. */
export async function readAll(client: Awaited<ReturnType<typeof connectTo>>, key: string) {
  return (await client.xRange(key, '-', '+')) ?? []
}

/** Waits until nothing was written for many times as long as an answer takes. */
export async function quiet(url: string, prefix: string): Promise<void> {
  const client = await connectTo(url)
  const countEntries = async () => (await client.xInfoStream(`${prefix}:events`))['entries-added']

  for (let count = -1; count !== (await countEntries()); ) {
    count = await countEntries()
    for (let ping = 0; ping < 100; ping++) await client.ping()
  }
}

/** Adds entries that say nothing, more than the streams of these tests hold. */
export async function fill(client: Awaited<ReturnType<typeof connectTo>>, key: string): Promise<void> {
  const entry = { origin: randomUUID(), kind: 'hello', sequence: '0', text: '0-0' }

  for (let count = 0; count < 250; count++) await client.xAdd(key, '*', entry)
}

/** Waits until Redis has an event with this number. */
export async function drained(url: string, prefix: string, number: number): Promise<void> {
  const client = await connectTo(url)

  await until(async () => {
    const latest = (await client.xRevRange(`${prefix}:events`, '+', '-', { COUNT: 20 })) ?? []

    expect(latest.map(({ message }) => message.text)).toContainEqual(
      expect.stringContaining(`"data":${number}}`)
    )
  })
}
