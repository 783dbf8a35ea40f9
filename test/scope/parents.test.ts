import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, closed, owner, user } from '../../src/access.ts'
import { BadRequest, Conflict, GeneralError, TooManyRequests } from '../../src/errors.ts'
import { type Application, alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { many, schema } from '../../src/schema.ts'
import { createApp, logIn, toStatus } from '../access/support/application.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

const OUTSIDE = { provider: 'rest' }

async function dropConditions(context: any): Promise<void> {
  context.params = { ...context.params, query: {} }
}

class ObjectId {
  readonly hex: string

  constructor(hex: string) {
    this.hex = hex
  }

  toString(): string {
    return this.hex
  }
}

const tasks = () =>
  memory({
    startId: 10,
    multi: true,
    store: { 1: { id: 1, projectId: 1, teamId: 1 }, 2: { id: 2, projectId: 2, teamId: 1 } }
  })

function createNested(options: object = {}, service: object = tasks()): Application {
  const app = alula()

  app.use('projects', memory({ store: { 1: { id: 1, teamId: 1 }, 2: { id: 2, teamId: 2 } } }))
  app.use('projects/:project/tasks', service as any, { parent: { projectId: 'projects' }, ...options })

  return app
}

describe('internal calls', () => {
  const path = 'projects/:project/tasks'

  it('are held to the record of a placeholder that they name, and to none otherwise', async () => {
    const service = createNested().service(path)
    const inFirst = { route: { project: 1 } }

    expect(await service.find({})).toHaveLength(2)
    expect(await service.find(inFirst)).toMatchObject([{ id: 1 }])
    expect(await service.find({ route: { project: '1' } })).toMatchObject([{ id: 1 }])
    expect(await service.get(2)).toMatchObject({ id: 2 })
    expect(await toStatus(service.get(2, inFirst))).toBe(404)
    expect(await toStatus(service.patch(2, { text: 'x' }, inFirst))).toBe(404)
    expect(await service.patch(null, { text: 'x' }, inFirst)).toHaveLength(1)
    expect(await toStatus(service.remove(2, inFirst))).toBe(404)
    expect(await toStatus(service.find({ route: { project: 9 } }))).toBe(404)
  })

  it('create records of the parent that they name, and of any otherwise', async () => {
    const service = createNested().service(path)

    expect(await service.create({ text: 'x' }, { route: { project: 2 } })).toMatchObject({ projectId: 2 })
    expect(await service.create({ text: 'x', projectId: 1 })).toMatchObject({ projectId: 1 })
    expect(await service.create({ text: 'x', projectId: '2' }, { route: { project: 2 } })).toMatchObject({
      projectId: 2
    })
    expect(await toStatus(service.create({ projectId: 1 }, { route: { project: 2 } }))).toBe(400)
    expect(await toStatus(service.create({ projectId: null }, { route: { project: 2 } }))).toBe(400)
  })

  it('do not lose the parent of a record that they replace, where a schema declares it', async () => {
    const Task = z.object({ id: z.int(), projectId: z.int(), text: z.string() })
    const app = createNested({ schema: schema(Task) })
    const service = app.service(path)
    const { id } = await service.create({ text: 'a' }, { route: { project: 2 } })

    expect(await service.update(id, { text: 'b' })).toEqual({ id, projectId: 2, text: 'b' })
    expect(await service.update(id, { text: 'c', projectId: 1 })).toMatchObject({ projectId: 1 })
  })
})

describe('the parent', () => {
  const path = 'projects/:project/tasks'
  const call = (options: object, service = tasks()): Promise<unknown> => {
    const app = alula()

    app.use('projects', { get: async () => ({ id: 1 }), ...options } as any)
    app.use(path, service, { parent: { projectId: 'projects' } })

    return app.service(path).find({ ...OUTSIDE, route: { project: '1' } } as any)
  }

  it('is not there where its service says so, and other errors stay as they are', async () => {
    const failing = (error: unknown) => toStatus(call({ get: () => Promise.reject(error) }))

    expect(await call({})).toMatchObject([{ id: 1 }])
    expect(await failing(new BadRequest('no id'))).toBe(404)
    expect(await toStatus(call({ get: async () => undefined }))).toBe(404)
    expect(await failing(new TooManyRequests('later'))).toBe(429)
    expect(await failing(new Conflict('locked'))).toBe(409)
    expect(await failing(new GeneralError('broken'))).toBe(500)
  })

  it('is read without what its service includes by default', async () => {
    const app = alula()
    const declared = schema(z.object({ id: z.int() }), {
      relations: { notes: many('notes', { to: 'projectId' }) },
      include: ['notes']
    })
    let count = 0

    app.use('notes', {
      find: async () => {
        count++

        return []
      }
    })
    app.use('projects', memory({ store: { 1: { id: 1 } } }), { schema: declared })
    app.use(path, tasks(), { parent: { projectId: 'projects' } })

    expect(await app.service('projects').get(1, OUTSIDE)).toEqual({ id: 1, notes: [] })
    expect(await app.service(path).find({ ...OUTSIDE, route: { project: '1' } })).toMatchObject([{ id: 1 }])
    expect(count).toBe(1)
  })

  it('needs an id', async () => {
    await expect(call({ get: async () => ({ name: 'x' }) })).rejects.toMatchObject({
      code: 'ALULA_INVALID_PARENT',
      message: expect.stringContaining("returned a record without 'id'")
    })
  })

  it('is asked with the params of the caller, without its query', async () => {
    let seen: any
    const app = alula()

    app.use('teams/:team/projects', {
      get: async (id: unknown, params: any) => {
        seen = { id, ...params }

        return { id: 1 }
      }
    })
    app.use('teams/:team/projects/:project/tasks', tasks(), {
      parent: { projectId: { service: 'teams/:team/projects', placeholder: 'project' } }
    })
    await app.service('teams/:team/projects/:project/tasks').find({
      ...OUTSIDE,
      user: { id: 7 },
      query: { text: 'x' },
      route: { team: 'a', project: '1' }
    } as any)

    expect(seen).toMatchObject({
      id: '1',
      provider: 'rest',
      user: { id: 7 },
      query: {},
      route: { team: 'a' }
    })
    expect(Object.keys(seen.route)).toEqual(['team'])
  })

  it.each([
    ['closed by access', { methods: ['get'], access: access({ find: anyone }) }, 404],
    ['not offered, with a rule', { methods: ['find'], access: access({ all: anyone }) }, 200],
    ['for users', { access: access({ all: user }) }, 404]
  ])('that is %s', async (_name, options, status) => {
    const app = createApp()

    app.use('projects', memory({ store: { 1: { id: 1 } } }), options)
    app.use(path, tasks(), { parent: { projectId: 'projects' } })
    await app.setup()

    expect(await toStatus(app.service(path).find({ ...OUTSIDE, route: { project: '1' } }))).toBe(status)
    expect(await toStatus(app.service(path).find({ ...OUTSIDE, route: { project: '9' } }))).toBe(404)
  })

  it('that clients have no get for is not there, also before the start could say so', async () => {
    const app = alula()

    app.use('projects', memory({ store: { 1: { id: 1 } } }), { methods: ['find'] })
    app.use(path, tasks(), { parent: { projectId: 'projects' } })

    expect(await toStatus(app.service(path).find({ ...OUTSIDE, route: { project: '1' } }))).toBe(404)
    expect(await app.service(path).find({ route: { project: '1' } })).toMatchObject([{ id: 1 }])
  })

  it('that closed() closes is not there', async () => {
    const app = createApp().configure(closed()) as Application

    app.use('projects', memory({ store: { 1: { id: 1 } } }))
    app.use(path, tasks(), { parent: { projectId: 'projects' }, access: access({ all: anyone }) })

    expect(await toStatus(app.service(path).find({ ...OUTSIDE, route: { project: '1' } }))).toBe(404)
  })
})

describe('several placeholders', () => {
  const path = 'teams/:team/projects/:project/tasks'

  it('have a parent each, and the parent of a parent is asked too', async () => {
    const app = createApp()
    const rules = access({ all: owner('ownerId') })

    app.use('teams', memory({ store: { 1: { id: 1, ownerId: 1 }, 2: { id: 2, ownerId: 2 } } }), {
      access: rules
    })
    app.use('teams/:team/projects', memory({ store: { 1: { id: 1, teamId: 1 }, 2: { id: 2, teamId: 2 } } }), {
      parent: { teamId: 'teams' },
      access: access({ all: user })
    })
    app.use(path, tasks(), {
      parent: {
        projectId: { service: 'teams/:team/projects', placeholder: 'project' },
        teamId: { service: 'teams', placeholder: 'team' }
      },
      access: access({ all: user })
    })
    await app.setup()

    const { ada, grace } = await logIn(app)
    const find = (login: typeof ada, team: string, project: string): Promise<any> =>
      app.service(path).find({ ...login.params, route: { team, project } })

    expect(await find(ada, '1', '1')).toMatchObject([{ id: 1 }])
    expect(await toStatus(find(ada, '2', '2'))).toBe(404)
    expect(await toStatus(find(ada, '1', '2'))).toBe(404)
    expect(await toStatus(find(grace, '1', '1'))).toBe(404)
    expect(await find(grace, '2', '2')).toEqual([])
    expect(
      await app.service(path).create({ text: 'x' }, { ...grace.params, route: { team: '2', project: '2' } })
    ).toMatchObject({ teamId: 2, projectId: 2 })
  })

  it('need no parent', async () => {
    const app = createNested()

    app.use(path, tasks(), { parent: { projectId: { service: 'projects', placeholder: 'project' } } })
    await app.setup()

    expect(await app.service(path).find({ ...OUTSIDE, route: { team: 'any', project: '2' } })).toMatchObject([
      { id: 2 }
    ])
  })
})

describe('what holds a call', () => {
  const path = 'projects/:project/tasks'
  const inFirst = { ...OUTSIDE, route: { project: '1' } }

  it('is not changed by hooks', async () => {
    const app = createNested()

    const moveAway = async ({ data }: any) => void Object.assign(data, { projectId: 2 })

    app.service(path).hooks({ before: { find: [dropConditions], create: [moveAway], patch: [moveAway] } })

    expect(await app.service(path).find(inFirst)).toHaveLength(1)
    expect(await toStatus(app.service(path).create({}, inFirst))).toBe(403)
    expect(await toStatus(app.service(path).patch(1, {}, inFirst))).toBe(403)
  })

  it.each<readonly [string, (id: ObjectId) => unknown]>([
    ['nothing', (id) => id],
    ['the id', (id) => new ObjectId(id.hex)],
    ['the data as JSON', (id) => String(id)]
  ])('knows an id that is an instance where a hook has copied %s', async (_name, copy) => {
    const app = alula()

    app.use('projects', { get: async () => ({ id: new ObjectId('a1') }) })
    app.use(path, { create: async (data: object) => data }, { parent: { projectId: 'projects' } })
    app.service(path).hooks({
      before: {
        create: [
          async (context: any) => {
            context.data = { ...context.data, projectId: copy(context.data.projectId) }
          }
        ]
      }
    })

    const created: any = await app.service(path).create({}, inFirst)

    expect(String(created.projectId)).toBe('a1')
  })

  it('is the same for a service that is no adapter', async () => {
    const records = [
      { id: 1, projectId: 1 },
      { id: 2, projectId: 2 }
    ]
    const app = createNested(undefined, {
      find: async () => records,
      get: async (id: unknown) => records.find((record) => record.id === Number(id)),
      remove: async (id: unknown) => records.find((record) => record.id === Number(id))
    })

    await expect(app.service(path).find(inFirst)).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining('it has to apply params.query')
    })
    expect(await app.service(path).get('1', inFirst)).toEqual(records[0])
    expect(await toStatus(app.service(path).get('2', inFirst))).toBe(404)
    expect(await app.service(path).remove('1', inFirst)).toEqual(records[0])
    expect(await toStatus(app.service(path).remove('2', inFirst))).toBe(404)
  })

  it('leaves events as they are', async () => {
    const app = createNested()
    const events: unknown[] = []

    app.service(path).on('created', (record: unknown) => events.push(record))
    await app.service(path).create({ text: 'x' }, inFirst)

    expect(events).toEqual([{ id: 10, text: 'x', projectId: 1 }])
  })

  it('lets a relation of another service find nothing without the placeholder', async () => {
    const app = createNested()

    expect(await toStatus(app.service(path).find(OUTSIDE))).toBe(404)
  })
})

it('an option of a plugin may be called scope', async () => {
  const scope = { input: 'x', innermost: 'y' }
  const app = createNested({ scope })

  app.use('tasks', tasks(), { scope } as any)

  expect(await app.service('tasks').find(OUTSIDE)).toHaveLength(2)
  expect(
    await app.service('projects/:project/tasks').find({ ...OUTSIDE, route: { project: '1' } })
  ).toHaveLength(1)
})

it('services with and without a parent can share a schema', async () => {
  const Task = z.object({ id: z.int(), projectId: z.int(), text: z.string() })
  const declared = schema(Task)
  const app = createNested({ schema: declared })

  app.use('tasks', tasks(), { schema: declared })

  const nested = app.service('projects/:project/tasks')
  const inFirst = { ...OUTSIDE, route: { project: '1' } }

  expect(await nested.create({ text: 'x' }, inFirst)).toEqual({ id: 10, projectId: 1, text: 'x' })
  expect(await toStatus(app.service('tasks').create({ text: 'x' }, OUTSIDE))).toBe(400)
  expect(await app.service('tasks').create({ text: 'x', projectId: 2 }, OUTSIDE)).toMatchObject({
    projectId: 2
  })
})

describeDatabases('nested tables', (database) => {
  it('are held to the parent, whose id the table declares', async () => {
    const { countedId, text } = database
    const quote = (name: string) => (database.name === 'MariaDB' ? `\`${name}\`` : `"${name}"`)
    const projects = await createTable(database, 'nest_projects', `id ${countedId}, slug ${text}`)
    const stored = await createTable(
      database,
      'nest_tasks',
      `id ${countedId}, text ${text} not null, ${quote('projectId')} integer not null`
    )
    const app = alula()

    app.use('projects', kysely({ Model: projects, name: 'nest_projects' }), { by: 'slug', schema: table() })
    app.use('projects/:slug/tasks', kysely({ Model: stored, name: 'nest_tasks', multi: true }), {
      parent: { projectId: 'projects' },
      schema: table()
    })
    await app.setup()

    const [one, two] = [
      await app.service('projects').create({ slug: 'one' }),
      await app.service('projects').create({ slug: 'two' })
    ]
    const service = app.service('projects/:slug/tasks')
    const into = (slug: string) => ({ ...OUTSIDE, route: { slug } })
    const first = await service.create({ text: 'a' }, into('one'))

    expect(first).toMatchObject({ text: 'a', projectId: one.id })
    expect(await service.create([{ text: 'b' }], into('two'))).toMatchObject([{ projectId: two.id }])
    expect(await service.find(into('one'))).toHaveLength(1)
    expect(await service.update(first.id, { text: 'c' }, into('one'))).toMatchObject({ projectId: one.id })
    expect(await toStatus(service.patch(first.id, { text: 'c' }, into('two')))).toBe(404)
    expect(await toStatus(service.create({ text: 'a', projectId: two.id }, into('one')))).toBe(400)
    expect(await toStatus(service.find(into('three')))).toBe(404)
    expect(await service.remove(null, into('two'))).toHaveLength(1)
    expect(await service.find()).toHaveLength(1)
  })
})
