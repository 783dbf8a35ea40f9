// The applications of the examples, with a document each, for tests and checks that read it.
import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { alula } from 'alula'
import { mustRun } from './run.mjs'

const FOLDER = fileURLToPath(new URL('../../examples', import.meta.url))
const COMPILER = fileURLToPath(new URL('../../node_modules/typescript7/bin/tsc', import.meta.url))

const password = 'correct horse'
const ADA = { email: 'ada@example.com', password }
const GRACE = { email: 'grace@example.com', password }

const createUser = () => ({ email: `${randomUUID()}@example.com`, password })
const note = { text: 'Buy milk' }

/**
 * By name: the module that starts it, the users who can log in, records, which the first of them makes, and what contract
 * tests need to be told of it.
 */
const EXAMPLES = {
  quickstart: { records: { notes: note }, contract: { data: { createNote: note, updateNote: note } } },
  authentication: {
    users: [ADA, GRACE],
    records: { notes: note },
    contract: {
      data: { createUser, createNote: note, updateNote: note, patchNote: note },
      // A new password ends the logins of the other tests.
      skip: ['patchUser']
    }
  },
  chat: {
    users: [ADA, GRACE],
    records: { memberships: { id: 'tea ada@example.com', room: 'tea', user: ADA.email } },
    contract: {
      data: {
        createUser,
        joinRooms: { room: 'tea' },
        leaveRooms: { room: 'coffee' },
        createMessage: { room: 'tea', text: 'Hello' },
        findMessages: { room: 'tea' }
      }
    }
  },
  'custom-adapter': { records: { messages: { text: 'Hello' } } },
  'custom-strategy': {
    users: [ADA, GRACE],
    records: { notes: note },
    contract: {
      data: { createUser, createKey: { name: 'script', rights: ['notes:read'] }, createNote: note }
    }
  },
  'existing-express-app': {
    records: { notes: note },
    // The login is that of a site, which does not run here.
    prepare: (app) =>
      app.hooks({ before: { all: [({ params }) => void Object.assign(params, { user: { name: 'Ada' } })] } }),
    contract: { data: { createNote: note } }
  },
  'fetch-handler': { records: { notes: note }, contract: { data: { createNote: note } } },
  notes: {
    users: [ADA, GRACE],
    file: 'dist/opened/app.js',
    records: { notes: { text: 'Buy milk', ownerId: 1 }, tags: { name: 'home', noteId: 1, ownerId: 1 } },
    contract: { data: { createUser } }
  },
  oauth: {
    users: [{ name: 'Ada' }, { name: 'Grace' }],
    contract: {
      // Each is one step of a login at the provider.
      skip: ['createOauthCode', 'createOauth', 'createOauthCallback', 'findOauthCallback', 'findOauth']
    }
  },
  sql: {
    records: { users: { email: ADA.email }, messages: { author: 'Ada', text: 'Hello' } },
    contract: {
      data: {
        createUser: () => ({ email: createUser().email }),
        createMessage: { author: 'Ada', text: 'Hello' },
        shoutMessages: { text: 'Hello' }
      }
    }
  }
}

/** The names of the examples. */
export const EXAMPLE_NAMES = Object.keys(EXAMPLES)

/**
 * Starts an example in this process, on a free port and with its records in a folder.
 *
 * @param {string} name
 * @param {string} folder
 * @returns {Promise<{ app: any, users: readonly object[], contract: object }>} The application, set up, the users who have
 * signed up, and options of contract tests
 */
export async function openExample(name, folder) {
  const { users = [], file = 'app.js', records = {}, contract = {}, prepare } = EXAMPLES[name]

  Object.assign(process.env, {
    PORT: '0',
    PASSWORD: password,
    FILE: join(folder, `${name}.jsonl`),
    DATABASE_URL: join(folder, `${name}.db`)
  })
  if (name === 'notes') await compile()

  const app = await capture(() => import(pathToFileURL(resolve(FOLDER, name, file)).href))
  const { local } = app.get('authentication') ?? {}
  const created = []

  // Tests try thousands of passwords.
  if (local) local.hashSize = 4

  prepare?.(app)

  for (const user of users) created.push(await app.service('users').create(user))
  for (const [path, record] of Object.entries(records)) {
    await app.service(path).create(record, { user: created[0] })
  }

  return { app, users: created, contract }
}

/** In a folder of its own: tests compile the example as well, at the same time. */
async function compile() {
  const notes = join(FOLDER, 'notes')

  await mustRun(process.execPath, [COMPILER, '-p', notes, '--outDir', join(notes, 'dist/opened')])
}

/** The application that registers services meanwhile: examples start a server, and export nothing. */
async function capture(run) {
  const prototype = toOwner(Object.getPrototypeOf(alula()), 'use')
  const { use } = prototype
  let app

  prototype.use = function (...args) {
    app = this

    return use.apply(this, args)
  }
  await run()
  prototype.use = use

  return app
}

function toOwner(prototype, name) {
  return Object.hasOwn(prototype, name) ? prototype : toOwner(Object.getPrototypeOf(prototype), name)
}
