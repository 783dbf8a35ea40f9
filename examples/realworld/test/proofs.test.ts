// What the application declares is true: who may call what, what the document says, and how many statements a page takes.
import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { toOpenApi } from 'alula/openapi'
import { contractTests, loginAs, proveExposure } from 'alula-testing'
import { open } from './server.js'

const { app, statements } = await open()
const article = {
  title: 'Engines',
  description: 'About them',
  body: 'They turn.',
  tagList: ['steam', 'brass']
}
const comment = { body: 'Good' }
const password = 'correct horse'
let number = 0

const toUser = () => {
  const username = `user-${number++}`

  return { username, email: `${username}@example.com`, password }
}
const signUp = () => app.service('accounts').create(toUser())
const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()]

const write = (user = ada) => app.service('articles').create(article, { user })
const say = async () => {
  const { slug } = await write()

  return app.service('articles/:slug/comments').create(comment, { user: ada, route: { slug } })
}

for (const user of [ada, bob]) {
  await app.service('follows').create({ followerId: user.id, followedId: eve.id })
}

test('a page of articles takes four statements with a login', async () => {
  for (let count = 0; count < 20; count++) await write(eve)

  const { fetch } = await loginAs(app, bob)
  const count = async (path: string) => {
    await fetch(path)
    statements.length = 0
    assert.equal((await fetch(path)).status, 200)

    return statements.length
  }

  assert.ok((await count('/articles')) <= 4)
  assert.ok((await count('/articles/feed')) <= 4)
  assert.ok((await count('/articles?tag=steam&author=user-2')) <= 4)
})

test('every response is described', () => {
  for (const [path, operations] of Object.entries(toOpenApi(app).paths)) {
    for (const { responses } of Object.values(operations)) {
      for (const [status, response] of Object.entries(responses)) {
        const { content } = 'content' in response ? response : {}
        const schema = content?.['application/json']?.schema

        if (schema) assert.notDeepEqual(schema, {}, `${status} of ${path}`)
      }
    }
  }
})

test('clients have the access that the table shows', async () => {
  await proveExposure(app, {
    users: { user: bob, owner: ada },
    records: {
      articles: () => write(),
      'articles/feed': () => write(eve),
      'articles/:slug/comments': say,
      profiles: bob.id,
      user: ada.id,
      users: eve
    },
    data: {
      articles: { ...article, update: { body: 'x' } },
      'articles/:slug/comments': comment,
      users: { create: toUser, login: { email: eve.email, password } }
    }
  })
})

describe('the document', async () => {
  contractTests(app, {
    describe,
    it,
    users: [ada, bob],
    records: { profiles: [eve] },
    data: {
      createAuthentication: { strategy: 'local', email: ada.email, password },
      createUser: () => ({ user: toUser() }),
      loginUsers: { user: { email: eve.email, password } }
    },
    statuses: { loginUsers: [401] }
  })
})
