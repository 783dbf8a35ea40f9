// Records that requests must not change are compared as they are stored, around what the requests do.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { BadRequest } from '../../../src/errors.ts'
import { type Application, alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { schema } from '../../../src/schema.ts'
import type { ContractOptions } from '../src/index.ts'
import { runContract } from './support/run-contract.ts'

/** What the tests of an application say that fail. */
async function collectFailures(app: Application, options: ContractOptions = {}): Promise<string[]> {
  await app.setup()

  return (await runContract(app, options)).failures
}

it('a computed field may have another value in each call', async () => {
  let count = 0
  const app = alula()

  app.use('files', memory({ store: { 1: { id: 1, key: 'a' } } as never }), {
    methods: ['find', 'create'],
    schema: schema(z.object({ id: z.int(), key: z.string() }), {
      computed: { url: { from: ['key'], many: (files) => files.map(({ key }) => `${key}?${count++}`) } }
    })
  })

  expect(await collectFailures(app)).toEqual([])
})

it('stores whose hooks refuse internal calls are compared', async () => {
  const app = alula()

  app.use('logs', memory(), { methods: [] })
  app.use('notes', memory({ store: { 1: { id: 1 } } as never }), {
    methods: ['get'],
    schema: schema(z.object({ id: z.int() }))
  })
  app.service('logs').hooks({ before: { find: [() => Promise.reject(new BadRequest('No'))] } })
  app.service('notes').hooks({ after: { get: [async () => void (await app.service('logs').create({}))] } })

  expect((await collectFailures(app, { records: { notes: [{ id: 1 }] } })).join()).toContain(
    "Records of 'logs' have changed by requests that read"
  )
})

it('a function of the data may make records for a query', async () => {
  const made: string[] = []
  const app = alula()
  const checked = {
    async find({ query }: any) {
      const [code] = await app.service('codes').find({ query: { code: query.code } })

      if (!code) throw new BadRequest('No such code')

      return [code]
    }
  }

  app.use('codes', memory(), { methods: [] })
  app.use('checked', checked as never, { methods: ['find'] })

  const findChecked = async () => {
    const code = `code ${made.length}`

    made.push(code)
    await app.service('codes').create({ code })

    return { code }
  }

  expect(await collectFailures(app, { data: { findChecked } })).toEqual([])
  // Each is sent.
  expect(made).toEqual(['code 0'])
})
