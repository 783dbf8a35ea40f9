import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'

const PATH = 'projects/:project/tasks'
const IN_FIRST = { provider: 'rest', route: { project: '1' } }

/** Calls a method of a service below the project 1, and returns the data that its hooks see. */
async function readData(call: (service: any) => Promise<unknown>): Promise<unknown> {
  const app = alula()
  const service = Object.assign(memory({ multi: true, store: { 5: { id: 5, projectId: 1 } } }), {
    move: async (data: object) => data
  })
  let seen: unknown

  app.use('projects', memory({ store: { 1: { id: 1 } } }))
  app.use(PATH, service as any, {
    parent: { projectId: 'projects' },
    methods: ['create', 'update', 'patch', 'move']
  })
  app.service(PATH).hooks({
    before: {
      all: [
        async ({ data }: any) => {
          seen = data
        }
      ]
    }
  })
  await call(app.service(PATH))

  return seen
}

it.each<[string, (service: any) => Promise<unknown>, unknown]>([
  ['create', (service) => service.create({ text: 'a' }, IN_FIRST), { text: 'a', projectId: 1 }],
  [
    'create of several',
    (service) => service.create([{ text: 'a' }, { text: 'b' }], IN_FIRST),
    [
      { text: 'a', projectId: 1 },
      { text: 'b', projectId: 1 }
    ]
  ],
  ['update', (service) => service.update(5, { text: 'a' }, IN_FIRST), { text: 'a', projectId: 1 }],
  ['patch', (service) => service.patch(5, { text: 'a' }, IN_FIRST), { text: 'a' }],
  ['patch with the id', (service) => service.patch(5, { projectId: '1' }, IN_FIRST), { projectId: 1 }],
  ['a custom method', (service) => service.move({ to: 'top' }, IN_FIRST), { to: 'top' }]
])('hooks of %s see the id of the parent where the record gets it', async (_name, call, data) => {
  expect(await readData(call)).toEqual(data)
})
