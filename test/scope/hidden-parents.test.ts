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

const Upserted = z.object({ projectId: z.number(), name: z.string(), text: z.string() })

it.each([
  ['as create takes it', {}],
  ['as a schema of upsert says', { methods: { upsert: { data: Upserted } } }]
])('a record whose field of the parent is hidden can be upserted, with data %s', async (_data, settings) => {
  const Task = z.object({ id: z.number(), projectId: z.number(), name: z.string(), text: z.string() })
  const app: any = alula()

  app.use('projects', memory({ store: { 1: { id: 1 }, 2: { id: 2 } } }))
  app.use('projects/:project/tasks', memory({ startId: 1, upsert: { by: ['projectId', 'name'] } }), {
    parent: { projectId: 'projects' },
    methods: ['find', 'upsert'],
    schema: schema(Task, { hidden: ['projectId'], ...settings } as any)
  })

  const toTasks = (project: number) => app.asClient({}).service(`projects/${project}/tasks`)
  const tasks = toTasks(1)

  expect(await tasks.upsert({ name: 'a', text: 'one' })).toEqual({ id: 1, name: 'a', text: 'one' })
  expect(await tasks.upsert({ name: 'a', text: 'two' })).toEqual({ id: 1, name: 'a', text: 'two' })
  expect(await toTasks(2).upsert({ name: 'a', text: 'x' })).toEqual({ id: 2, name: 'a', text: 'x' })
  for (const projectId of [1, 2]) {
    await expect(tasks.upsert({ name: 'a', text: 'x', projectId })).rejects.toMatchObject({
      ...{ code: 400, errors: { projectId: 'is set by the path' } }
    })
  }

  // Internal calls need no path.
  const all = app.service('projects/:project/tasks')

  for (const [projectId, id] of [
    [2, 2],
    [3, 3]
  ]) {
    expect(await all.upsert({ name: 'a', text: 'y', projectId })).toMatchObject({ id, projectId })
  }
  expect(await all.find()).toMatchObject([{ text: 'two' }, { text: 'y' }, { text: 'y' }])
})
