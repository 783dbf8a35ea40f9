// The data that a proof sends: what is given for all methods, and what is made for each call.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, owner, user } from '../../../src/access.ts'
import { BadRequest } from '../../../src/errors.ts'
import type { Application } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { schema } from '../../../src/schema.ts'
import { createApp, USERS } from '../../../test/access/support/application.ts'
import { type ProofOptions, proveExposure } from '../src/index.ts'

const users = { user: USERS[1] as object, owner: USERS[2] as object }
const Task = z.object({ id: z.int(), title: z.string(), noteId: z.int(), ownerId: z.int() })

/** Tasks with a title that no two have, which stay with their note. */
function createTasks(): Application {
  const app = createApp()

  app.use('tasks', memory({ startId: 1, upsert: { by: ['title'] } }), {
    methods: ['create', 'patch'],
    access: access({ all: owner('ownerId') }),
    schema: schema({
      record: Task,
      create: Task.pick({ title: true, noteId: true }),
      patch: Task.pick({ title: true }).partial(),
      server: { ownerId: ({ params }: any) => params.user?.id }
    })
  })

  return app
}

async function prove(options: ProofOptions): Promise<readonly string[]> {
  const app = createTasks()

  await app.setup()

  return await proveExposure(app, {
    log: false,
    users,
    records: {
      tasks: () =>
        app
          .service('tasks')
          .create({ title: crypto.randomUUID(), noteId: 1 }, { user: users.owner } as object)
    },
    ...options
  }).then(
    () => [],
    (error) => error.message.split('\n')
  )
}

it('what is given for all methods may have fields that patch does not know, made anew for each call', async () => {
  expect(await prove({ data: { tasks: async () => ({ title: crypto.randomUUID(), noteId: 1 }) } })).toEqual(
    []
  )
})

it('what is given for patch itself is sent as it is', async () => {
  const [line] = await prove({
    data: {
      tasks: {
        create: async () => ({ title: crypto.randomUUID(), noteId: 1 }),
        patch: () => ({ title: crypto.randomUUID(), noteId: 1 })
      }
    }
  })

  expect(line).toContain("Invalid data: 'noteId' is not a known field")
})

it('a function that returns nothing is for a call without data', async () => {
  expect(
    await prove({
      data: { tasks: { create: () => ({ title: crypto.randomUUID(), noteId: 1 }), patch: () => undefined } }
    })
  ).toEqual([])
})

it('methods that are skipped are not called, and the coverage says so', async () => {
  const app = createTasks()

  app.use(
    'files',
    { create: async () => Promise.reject(new BadRequest('Send a form')) },
    {
      methods: ['create'],
      access: access({ create: user })
    }
  )
  await app.setup()

  const options = {
    users,
    records: {
      tasks: () => app.service('tasks').create({ title: crypto.randomUUID(), noteId: 1, ownerId: 2 })
    },
    data: { tasks: () => ({ title: crypto.randomUUID(), noteId: 1 }) },
    log: false as const
  }

  await expect(proveExposure(app, options)).rejects.toThrow('files.create as user never succeeded')

  const { rows, notCovered } = await proveExposure(app, { ...options, skip: ['files.create'] })

  expect(notCovered).toContain('files.create')
  expect(rows.map(({ operation }) => operation)).not.toContain('files.create')
  await expect(proveExposure(app, { ...options, skip: ['files.make'] })).rejects.toThrow(
    "Invalid option 'skip' of proveExposure: the application has no method 'files.make'"
  )
})
