// Which records are removed first: a service may remove those of another with its own.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { type Application, alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { many, one, type SchemaSettings, schema } from '../../../src/schema.ts'
import { contractTests } from '../src/index.ts'

const Project = z.object({ id: z.int(), name: z.string() })
const Member = z.object({ id: z.int(), projectId: z.int(), role: z.enum(['editor', 'viewer']) })

type Relations = NonNullable<SchemaSettings['relations']>

/** Projects, which are registered first and take their members with them. */
function createProjects(ofProject: Relations, ofMember: Relations): Application {
  const app = alula()
  const methods = ['find', 'create', 'remove']
  const members = memory({ startId: 1 })

  app.use('projects', memory({ startId: 1 }), {
    methods,
    schema: schema(Project, { relations: ofProject })
  })
  app.use('members', members, {
    methods,
    schema: schema(Member, { relations: ofMember })
  })
  app.service('projects').hooks({
    after: { remove: [async () => void (await members._remove(null, {}))] }
  })

  return app
}

async function run(app: Application): Promise<{ names: string[]; failures: string[] }> {
  const names: string[] = []
  const tests: (() => Promise<void>)[] = []
  const failures: string[] = []

  await app.setup()
  contractTests(app, {
    describe: (_name, body) => body(),
    it: (name, body) => {
      names.push(name.split(' ')[0] as string)
      tests.push(body as () => Promise<void>)
    },
    seed: 2090804791,
    log: false
  })

  for (const test of tests) await test().catch((error) => failures.push(error.message))

  return { names: names.filter((name) => name.startsWith('remove')), failures }
}

it.each<[string, Relations, Relations]>([
  ['a relation to one', {}, { project: one('projects', { from: 'projectId' }) }],
  ['a relation to many', { members: many('members', { to: 'projectId' }) }, {}]
])('records that point to others by %s are removed before these', async (_kind, ofProject, ofMember) => {
  expect(await run(createProjects(ofProject, ofMember))).toEqual({
    names: ['removeMember', 'removeProject'],
    failures: []
  })
})

it('services that point to each other have some order', async () => {
  const app = createProjects(
    { first: one('members', { from: 'id' }) },
    { project: one('projects', { from: 'projectId' }), self: one('members', { from: 'id' }) }
  )

  expect((await run(app)).names).toHaveLength(2)
})
