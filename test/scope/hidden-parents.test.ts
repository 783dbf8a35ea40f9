import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

it('clients cannot compare the hidden field of a parent with a value', async () => {
  const Task = z.object({ id: z.number(), projectId: z.number(), text: z.string().optional() })
  const app = alula()

  app.use('projects', memory({ store: { 1: { id: 1 }, 2: { id: 2 } } }))
  app.use('projects/:project/tasks', memory({ startId: 10, store: { 1: { id: 1, projectId: 1 } } }), {
    parent: { projectId: 'projects' },
    schema: schema(Task, { hidden: ['projectId'] })
  })

  const tasks = app.asClient().service('projects/1/tasks')

  for (const projectId of [1, 2]) {
    const refusal = { code: 400, errors: { projectId: 'is set by the path' } }

    await expect(tasks.create({ text: 'a', projectId })).rejects.toMatchObject(refusal)
    await expect(tasks.patch(1, { projectId })).rejects.toMatchObject(refusal)
  }

  expect(await tasks.create({ text: 'a' })).toEqual({ id: 10, text: 'a' })
})
