// Proofs of methods that ask for a login that is not too old.
import { expect, it } from 'vitest'
import { type AccessRule, access, fresh, user } from '../../../src/access.ts'
import { AuthenticationService, JWTStrategy, SessionService } from '../../../src/authentication.ts'
import { NotAuthenticated } from '../../../src/errors.ts'
import { describeHook } from '../../../src/hooks/traits.ts'
import { type Application, alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { socketio } from '../../../src/socketio.ts'
import { createApp, USERS } from '../../../test/access/support/application.ts'
import { SECRET } from '../../../test/authentication/app.ts'
import { contractTests, type ProofOptions, proveExposure } from '../src/index.ts'

const users = { user: USERS[1] as object, owner: USERS[2] as object }

/** Says that it is `fresh`, and lets old logins pass. */
const lax = describeHook((({ params }) => params.authenticated === true) as AccessRule, {
  rule: { who: "fresh('10m')", hasQuery: false }
})

async function createNotes(rule: AccessRule): Promise<Application> {
  const app = createApp()

  app.configure(socketio())
  app.use('notes', memory(), { methods: ['remove'], access: access({ all: rule }) })

  return await app.setup()
}

async function prove(app: Application, options: ProofOptions): Promise<readonly string[]> {
  const records = { notes: () => app.service('notes').create({ text: 'Engines' }) }

  return await proveExposure(app, { log: false, records, ...options }).then(
    () => [],
    (error) => error.message.split('\n')
  )
}

it.each(['10m', 600])('fresh(%j) is proved without more being said of it', async (duration) => {
  expect(await prove(await createNotes(fresh(duration)), { users })).toEqual([])
})

it('fresh needs a user who calls', async () => {
  expect(await prove(await createNotes(fresh('10m')), {})).toEqual([
    "notes.remove: the table says fresh('10m'), and no user calls. Give 'users: { user: … }'"
  ])
})

it('an old login has to be refused, also where the callers are named', async () => {
  const app = await createNotes(lax)
  const lines = ['rest', 'socketio'].map(
    (transport) =>
      `notes.remove over ${transport} as owner (old login): the table says fresh('10m'), the response is 200`
  )

  expect(await prove(app, { users })).toEqual(lines)
  expect(await prove(app, { users, callers: { notes: { remove: ['user', 'owner'] } } })).toEqual(lines)
})

it('a 401 for another reason is no proof', async () => {
  const app = await createNotes(lax)

  app.service('notes').hooks({
    before: {
      remove: [
        async ({ params }: any) => {
          if (params.authentication.payload.auth_time === 0)
            throw new NotAuthenticated('Not one of our tokens')
        }
      ]
    }
  })

  expect(await prove(app, { users })).toEqual(
    ['rest', 'socketio'].map(
      (transport) =>
        `notes.remove over ${transport} as owner (old login): the table says fresh('10m'), the response is 401 for another reason than an old login`
    )
  )
})

it('the calls of an old login are counted', async () => {
  const app = await createNotes(fresh('10m'))
  const records = { notes: () => app.service('notes').create({ text: 'Engines' }) }
  const { rows } = await proveExposure(app, { log: false, users, records })

  expect(rows).toContainEqual({
    operation: 'notes.remove',
    transport: 'rest',
    caller: 'owner (old login)',
    outcomes: { 401: 1 }
  })
})

/** An application with sessions, and two users. */
async function createSessions(refresh: object, remove = fresh('10m')) {
  const app: Application = alula()
  const authentication = new AuthenticationService(
    app.set('authentication', {
      ...{ secret: SECRET, service: 'users', entity: 'user', authStrategies: ['jwt'] },
      refresh
    })
  )

  authentication.register('jwt', new JWTStrategy())
  app.use('authentication', authentication)
  app.use('users', memory({ startId: 1 }), { methods: [] })
  app.use('authentication/sessions', new SessionService(app), {
    methods: ['find', 'remove'],
    access: access({ find: user, remove })
  })
  await app.setup()

  const create = () => app.service('users').create({})

  return { app, authentication, users: { user: await create(), owner: await create() } }
}

async function proveSessions({ app, authentication, users }: Awaited<ReturnType<typeof createSessions>>) {
  const createSession = async () => {
    const { accessToken } = await authentication.issueToken({ user: users.owner }, { refresh: true })
    const { session } = await authentication.verifyAccessToken(accessToken as string)

    return session.id
  }

  return await prove(app, {
    users,
    records: { 'authentication/sessions': createSession },
    callers: { 'authentication/sessions': { remove: ['owner'] } }
  })
}

it.each([{}, { always: true }])(
  'sessions with %j are proved with a session of the owner',
  async (refresh) => {
    expect(await proveSessions(await createSessions(refresh))).toEqual([])
    expect(await proveSessions(await createSessions(refresh, lax))).toEqual([
      "authentication/sessions.remove over rest as owner (old login): the table says fresh('10m'), the response is 200"
    ])
  }
)

it('sessions keep to the document, where the users have some', async () => {
  const { app, authentication, users } = await createSessions({})
  const tests: (() => Promise<void>)[] = []

  for (const user of Object.values(users)) await authentication.issueToken({ user }, { refresh: true })

  contractTests(app, {
    describe: (_name, body) => body(),
    it: (_name, body) => void tests.push(body as () => Promise<void>),
    users: Object.values(users),
    log: false
  })
  expect(tests.length).toBeGreaterThan(4)
  for (const test of tests) await test()
})
