import { expect, it } from 'vitest'
import { alula as createClient, rest } from '../../src/client.ts'

/** What is no plain object has no conditions on the wire: the call would reach all records. */
const TRUTHY: readonly unknown[] = [5, 'x', true, 5n, Symbol('a'), () => 1, [], Promise.resolve({})]

/** What it has does not arrive. */
class Filter {
  get owner() {
    return 1
  }
}

it.each([
  ['query', [...TRUTHY, new Filter(), 0, '', false], (query: unknown) => ({ query })],
  // The pipeline of hooks takes falsy params for none, as in Feathers v5.
  ['params', TRUTHY, (value: unknown) => value]
] as const)(
  '%s of another kind than a plain object are refused before anything is sent',
  async (name, values, toParams) => {
    const sent: string[] = []
    const client = createClient().configure(
      rest('http://localhost').fetch(async (url: any) => {
        sent.push(String(url))

        return new Response('[]', { headers: { 'Content-Type': 'application/json' } })
      })
    )

    for (const value of values) {
      await expect(
        (async () => client.service('things').remove(null, toParams(value) as any))(),
        String(value)
      ).rejects.toMatchObject({ code: 400, message: expect.stringContaining(`Invalid ${name}`) })
    }

    expect(sent).toEqual([])
  }
)
