import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { type AccessRule, access, anyone, owner, user } from '../../src/access.ts'
import { createContext } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { createApp, USERS } from '../access/support/application.ts'
import { scaled } from '../support/scale.ts'

/** Stands in the fields that no client gets. */
const SECRET = 'sentinel-4711'

interface Item {
  readonly id: number
  readonly slug: string
  readonly ownerId: number
  readonly isOpen: boolean
  readonly teamId?: number
  readonly projectId?: number
}

const IDS = [1, 2, 3, 4]

/** Each of two owners has one that is open and one that is not. */
const toItem = (id: number): Item => ({ id, slug: `s${id}`, ownerId: (id % 2) + 1, isOpen: id < 3 })

const TEAMS = IDS.map(toItem)
const PROJECTS = IDS.map((id): Item => ({ ...toItem(id), teamId: (id % 3) + 1 }))
const TASKS = IDS.flatMap((projectId) =>
  IDS.map((teamId): Item => ({ ...toItem(projectId * 10 + teamId), projectId, teamId }))
)

/** Who may get a record: as access says it, and written once more by hand. */
const RULES: readonly (readonly [AccessRule, (item: Item, caller: number) => boolean])[] = [
  [anyone, () => true],
  [user, (_item, caller) => caller > 0],
  [owner('ownerId'), ({ ownerId }, caller) => ownerId === caller],
  [() => ({ isOpen: true }), ({ isOpen }) => isOpen],
  [() => false, () => false]
]

const kinds = fc.record({
  rule: fc.constantFrom(...RULES),
  by: fc.constantFrom(undefined, 'slug' as const),
  hasSchema: fc.boolean(),
  offersGet: fc.boolean()
})

const runs = fc.record({
  teams: kinds,
  projects: kinds,
  tasks: fc.record({
    hasSchema: fc.boolean(),
    parents: fc.subarray(['team', 'project'] as const, { minLength: 1 })
  }),
  isNested: fc.boolean(),
  caller: fc.constantFrom(0, 1, 2),
  team: fc.constantFrom('1', '2', '3', '4', 's1', 's2', 's3', 's4', '9', ''),
  project: fc.constantFrom('1', '2', '3', '4', 's1', 's2', 's3', 's4', '9', 'x'),
  method: fc.constantFrom('find', 'get', 'create', 'patch', 'remove')
})

type Run = typeof runs extends fc.Arbitrary<infer T> ? T : never

const Record = z.object({
  id: z.int(),
  slug: z.string(),
  ownerId: z.int(),
  isOpen: z.boolean(),
  teamId: z.int().optional(),
  projectId: z.int().optional(),
  secret: z.string().optional()
})

const PATH = 'teams/:team/projects/:project/tasks'

function createStore(items: readonly Item[]) {
  return memory({
    startId: 100,
    store: Object.fromEntries(items.map((item) => [item.id, { ...item, secret: SECRET }]))
  })
}

async function open({ teams, projects, tasks, isNested }: Run) {
  const app = createApp()
  const path = isNested ? 'teams/:team/projects' : 'projects'
  const toOptions = ({ rule: [get], by, hasSchema, offersGet }: Run['teams']) => ({
    ...(by && { by }),
    ...(hasSchema && { schema: schema(Record, { hidden: ['secret'] }) }),
    methods: offersGet ? ['find', 'get'] : ['find'],
    access: access({ get, find: anyone })
  })
  const parent = {
    ...(tasks.parents.includes('project') && { projectId: { service: path, placeholder: 'project' } }),
    ...(tasks.parents.includes('team') && { teamId: { service: 'teams', placeholder: 'team' } })
  }

  app.use('teams', createStore(TEAMS), toOptions(teams))
  app.use(path, createStore(PROJECTS), {
    ...toOptions(projects),
    ...(isNested && { parent: { teamId: 'teams' } })
  })
  app.use(PATH, createStore(TASKS), {
    parent,
    access: access({ all: anyone }),
    ...(tasks.hasSchema && { schema: schema(Record, { hidden: ['secret'] }) })
  })
  await app.setup()

  return app.service(PATH)
}

/** What the caller gets by a path, written by hand. */
function find(items: readonly Item[], kind: Run['teams'], value: string, caller: number): Item | undefined {
  const item = items.find(({ id, slug }) => value === (kind.by ? slug : String(id)))

  return item && kind.rule[1](item, caller) ? item : undefined
}

it('calls reach the records of parents that the caller may get, and say nothing of others', async () => {
  let reached = 0

  await fc.assert(
    fc.asyncProperty(runs, async (run) => {
      const { tasks, isNested, caller, method } = run
      const team = find(TEAMS, run.teams, run.team, caller)
      const found = find(PROJECTS, run.projects, run.project, caller)
      const project = isNested && !(team && found?.teamId === team.id) ? undefined : found
      const ids = {
        ...(tasks.parents.includes('team') && { teamId: team?.id }),
        ...(tasks.parents.includes('project') && { projectId: project?.id })
      }
      const isThere = Object.values(ids).every((id) => id !== undefined)
      const isInside = (task: Item) =>
        isThere && Object.entries(ids).every(([field, id]) => task[field as keyof Item] === id)
      const service: any = await open(run)
      const params = {
        provider: 'rest',
        route: { team: run.team, project: run.project },
        ...(caller > 0 && { authenticated: true, user: USERS[caller as 1] })
      }
      const target = 23
      const data = method === 'create' ? { slug: 'n', ownerId: 1, isOpen: true } : { slug: 'x' }
      const args = { find: [], get: [target], create: [data], patch: [target, data], remove: [target] }[
        method
      ]
      const context: any = createContext(service, method)
      const error = await service[method](...(args as unknown[]), params, context).then(
        () => undefined,
        (thrown: any) => thrown
      )
      const isTarget = isInside(TASKS.find(({ id }) => id === target) as Item)

      expect(JSON.stringify(error ?? '') + (error?.message ?? '')).not.toContain(SECRET)

      if (!isThere) {
        const names = [run.team, run.project].map(
          (value, index) => `${['team', 'project'][index]} '${value}'`
        )

        expect(error).toMatchObject({ code: 404 })
        expect(names.map((name) => `No record found for ${name}`)).toContain(error.message)
      } else if (method === 'find' || method === 'create' || isTarget) {
        expect(error).toBeUndefined()
        reached++
        for (const record of [context.result].flat()) expect(isInside(record)).toBe(true)
        if (method === 'find') expect(context.result).toHaveLength(TASKS.filter(isInside).length)
        if (tasks.hasSchema) expect(JSON.stringify(context.dispatch)).not.toContain(SECRET)
      } else {
        expect(error).toMatchObject({ code: 404, message: `No record found for id '${target}'` })
      }

      const stored: Item[] = await service.find({})

      for (const task of TASKS.filter((one) => !isInside(one))) {
        expect(stored.find(({ id }) => id === task.id)).toEqual({ ...task, secret: SECRET })
      }
      for (const { id, ...task } of stored) {
        if (id >= 100) expect(isInside({ id, ...task })).toBe(true)
      }
    }),
    { numRuns: scaled(10_000) }
  )

  expect(reached).toBeGreaterThan(0)
})
