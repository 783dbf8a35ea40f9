// The OpenAPI document of an application with 300 services, each with a schema of ten fields: how long it takes at first,
// in a fresh process, and when it has been made ten times.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { z } from 'zod'
import { formatSpread, printTable, scaleRounds } from './lib.mjs'

const SERVICES = 300
const TIMES = 10

if (process.send) await measure()
else await compare()

async function compare() {
  const runs = []

  for (let round = 0; round < scaleRounds(7); round++) {
    const child = fork(import.meta.filename)
    const [times] = await once(child, 'message')

    runs.push(times)
    await once(child, 'exit')
  }

  printTable(
    `The document of ${SERVICES} services`,
    ['', 'ms'],
    [
      ['the first', formatSpread(runs.map((times) => times[0]))],
      [`the ${TIMES}th`, formatSpread(runs.map((times) => times.at(-1)))]
    ]
  )
}

async function measure() {
  const { toOpenApi } = await import('../dist/openapi.js')
  const app = await createApplication()
  const times = []

  for (let count = 0; count < TIMES; count++) {
    const start = performance.now()

    toOpenApi(app)
    times.push(performance.now() - start)
  }

  process.send(times, () => process.exit())
}

async function createApplication() {
  const { alula } = await import('../dist/index.js')
  const { memory } = await import('../dist/memory.js')
  const { schema } = await import('../dist/schema.js')
  const app = alula()

  for (let index = 0; index < SERVICES; index++) {
    const Task = z.object({
      id: z.int(),
      text: z.string().min(1).max(200),
      done: z.boolean().default(false),
      priority: z.enum(['low', 'high']).default('low'),
      dueAt: z.iso.datetime().optional(),
      createdAt: z.date(),
      ownerId: z.int(),
      tags: z.array(z.string()).default([]),
      score: z.number().nullable(),
      address: z.object({ city: z.string(), zip: z.string() }).optional()
    })

    app.use(`tasks-${index}`, memory({ multi: true, paginate: { default: 10, max: 50 } }), {
      schema: schema(Task, { server: { createdAt: () => new Date() }, hidden: ['score'] })
    })
  }

  await app.setup()

  return app
}
