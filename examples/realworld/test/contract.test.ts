// The contract of the blog API, call by call: on an empty database, and again on one that has articles.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCaller, open } from './server.js'

const { url } = await open()
const call = createCaller(url)

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isTime = (value: unknown) => typeof value === 'string' && new Date(value).toISOString() === value
const faults = ([status, body]: [number, any]) => [status, body?.errors?.body]

for (const [round, state] of ['an empty database', 'one that has articles'].entries()) {
  const name = (user: string) => `${user}${round}`
  const tag = (word: string) => `${word}${round}`
  const tokens = new Map<string, string>()
  const token = (user: string) => tokens.get(user)
  let slug = ''

  test(`users sign up, on ${state}`, async () => {
    for (const user of ['Ada', 'Bob']) {
      const email = `${name(user)}@Example.com`
      const data = { username: name(user), email, password: 'correct horse', id: 7, admin: true }
      const [status, { user: created }] = await call('POST', '/users', { user: data })
      const { token, ...shown } = created

      assert.equal(status, 201)
      assert.ok(isText(token))
      assert.deepEqual(shown, {
        ...{ username: name(user), email: email.toLowerCase(), bio: null, image: null }
      })
      tokens.set(user, token)
    }

    const taken = { username: name('Eve'), email: `${name('ADA')}@example.com`, password: 'x' }

    assert.deepEqual(faults(await call('POST', '/users', { user: taken })), [422, ['email is taken']])

    const sameName = { username: name('Ada'), email: `${name('eve')}@example.com`, password: 'x' }

    assert.deepEqual(faults(await call('POST', '/users', { user: sameName })), [422, ['username is taken']])

    assert.equal((await call('POST', '/users', { user: [sameName] }))[0], 422)

    const [status, body] = faults(await call('POST', '/users', { user: { username: ' ', email: 'x' } }))

    assert.equal(status, 422)
    assert.deepEqual(
      body.map((fault: string) => fault.split(' ')[0]),
      ['user.email', 'user.password', 'user.username']
    )
    assert.equal((await call('POST', '/users', { username: 'x' }))[0], 422)
    assert.equal((await call('POST', '/users', '{ "user": '))[0], 422)
    assert.equal((await call('GET', '/users'))[0], 405)
  })

  test(`users log in, on ${state}`, async () => {
    const login = (user: object) => call('POST', '/users/login', { user })
    const [status, { user }] = await login({ email: `${name('aDA')}@example.com`, password: 'correct horse' })

    assert.equal(status, 200)
    assert.deepEqual(Object.keys(user).sort(), ['bio', 'email', 'image', 'token', 'username'])
    assert.equal((await login({ email: user.email, password: 'wrong' }))[0], 401)
    assert.equal((await login({ email: 'unknown@example.com', password: 'wrong' }))[0], 401)
    assert.equal((await login({ email: user.email }))[0], 422)
  })

  test(`users read and change themselves, on ${state}`, async () => {
    assert.equal((await call('GET', '/user'))[0], 401)
    assert.equal((await call('PUT', '/user', { user: { bio: 'x' } }))[0], 401)
    assert.equal((await call('GET', '/user', undefined, 'of-nothing'))[0], 401)
    assert.equal((await call('GET', '/user/1', undefined, token('Ada')))[0], 404)
    assert.equal((await call('GET', '/user', undefined, token('Ada')))[1].user.username, name('Ada'))

    const change = (user: object, token?: string) => call('PUT', '/user', { user }, token)
    const [status, { user }] = await change(
      { bio: 'Engines', image: 'https://a.b/c.png', admin: true },
      token('Ada')
    )

    assert.equal(status, 200)
    assert.deepEqual([user.bio, user.image, user.username], ['Engines', 'https://a.b/c.png', name('Ada')])
    assert.equal((await change({ bio: null, image: null }, token('Ada')))[1].user.bio, null)
    assert.equal((await change({ username: null }, token('Ada')))[0], 422)
    assert.equal((await change({ email: '' }, token('Ada')))[0], 422)
    assert.equal((await change({ username: name('Bob') }, token('Ada')))[0], 422)

    const [, { user: changed }] = await change({ password: 'battery staple' }, token('Ada'))

    assert.equal((await call('GET', '/user', undefined, token('Ada')))[0], 401)
    assert.equal((await call('GET', '/user', undefined, changed.token))[0], 200)
    tokens.set('Ada', changed.token)
  })

  test(`users follow others, on ${state}`, async () => {
    const path = `/profiles/${name('Bob')}`
    const profile = { username: name('Bob'), bio: null, image: null, following: false }
    const followed = { ...profile, following: true }

    assert.deepEqual(await call('GET', path), [200, { profile }])
    assert.deepEqual(await call('GET', path, undefined, token('Ada')), [200, { profile }])
    assert.equal((await call('GET', path, undefined, 'of-nothing'))[0], 401)
    assert.equal((await call('GET', '/profiles/unknown'))[0], 404)
    assert.equal((await call('POST', `${path}/follow`))[0], 401)
    assert.equal((await call('POST', '/profiles/unknown/follow', undefined, token('Ada')))[0], 404)

    for (const _ of 'ab') {
      assert.deepEqual(await call('POST', `${path}/follow`, undefined, token('Ada')), [
        200,
        { profile: followed }
      ])
    }

    assert.deepEqual(await call('GET', path, undefined, token('Ada')), [200, { profile: followed }])
    assert.deepEqual(await call('GET', path, undefined, token('Bob')), [200, { profile }])

    for (const _ of 'ab') {
      assert.deepEqual(await call('DELETE', `${path}/follow`, undefined, token('Ada')), [200, { profile }])
    }
  })

  test(`users write articles, on ${state}`, async () => {
    const article = { title: `On Engines ${round}`, description: 'About them', body: 'They turn.' }
    const create = (article: object, token?: string) => call('POST', '/articles', { article }, token)

    assert.equal((await create(article))[0], 401)

    const tagList = [tag('steam'), tag('brass'), tag('steam')]
    const [status, { article: created }] = await create({ ...article, tagList, slug: 'mine' }, token('Bob'))
    const { slug: first, createdAt, updatedAt, ...shown } = created

    slug = first
    assert.equal(status, 201)
    assert.ok(first.startsWith('on-engines-') && isTime(createdAt) && isTime(updatedAt))
    assert.deepEqual(shown, {
      ...article,
      tagList: [tag('brass'), tag('steam')],
      favorited: false,
      favoritesCount: 0,
      author: { username: name('Bob'), bio: null, image: null, following: false }
    })
    assert.deepEqual(await call('GET', `/articles/${slug}`), [200, { article: created }])

    const [, { article: second }] = await create(article, token('Bob'))

    assert.notEqual(second.slug, slug)
    assert.deepEqual(second.tagList, [])
    assert.equal((await call('DELETE', `/articles/${second.slug}`, undefined, token('Ada')))[0], 403)
    assert.equal((await call('DELETE', `/articles/${second.slug}`))[0], 401)
    assert.deepEqual(await call('DELETE', `/articles/${second.slug}`, undefined, token('Bob')), [
      204,
      undefined
    ])
    assert.equal((await call('GET', `/articles/${second.slug}`))[0], 404)

    const [code, list] = faults(await create({ title: '', body: ' ' }, token('Bob')))

    assert.equal(code, 422)
    assert.deepEqual(
      list.map((fault: string) => fault.split(' ')[0]),
      ['article.title', 'article.description', 'article.body']
    )
    assert.ok([404, 405].includes((await call('DELETE', '/articles', undefined, token('Bob')))[0]))
    assert.deepEqual(
      (await call('GET', '/tags'))[1].tags.filter((one: string) => one.endsWith(`${round}`)),
      [tag('brass'), tag('steam')]
    )
  })

  test(`authors change their articles, on ${state}`, async () => {
    const change = (article: object, token?: string) => call('PUT', `/articles/${slug}`, { article }, token)

    assert.equal((await change({ body: 'x' }))[0], 401)
    assert.equal((await change({ body: 'x' }, token('Ada')))[0], 403)
    assert.equal((await change({ body: '' }, token('Bob')))[0], 422)
    assert.equal((await call('PUT', '/articles/none', { article: {} }, token('Bob')))[0], 404)

    const [status, { article }] = await change({ body: 'They turn and turn.' }, token('Bob'))

    assert.equal(status, 200)
    assert.deepEqual(
      [article.slug, article.body, article.title],
      [slug, 'They turn and turn.', `On Engines ${round}`]
    )
    assert.deepEqual(article.tagList, [tag('brass'), tag('steam')])
    assert.ok(article.updatedAt > article.createdAt)

    const [, { article: renamed }] = await change({ title: 'Looms' }, token('Bob'))

    assert.ok(renamed.slug.startsWith('looms-'))
    assert.equal(renamed.createdAt, article.createdAt)
    assert.equal((await call('GET', `/articles/${slug}`))[0], 404)
    slug = renamed.slug
    assert.equal((await call('GET', `/articles/${slug}`))[1].article.author.username, name('Bob'))
  })

  test(`users like articles, on ${state}`, async () => {
    const path = `/articles/${slug}/favorite`

    assert.equal((await call('POST', path))[0], 401)
    assert.equal((await call('POST', '/articles/none/favorite', undefined, token('Ada')))[0], 404)

    for (const _ of 'ab') {
      const [status, { article }] = await call('POST', path, undefined, token('Ada'))

      assert.deepEqual(
        [status, article.slug, article.favorited, article.favoritesCount],
        [200, slug, true, 1]
      )
      assert.equal(article.body, 'They turn and turn.')
      assert.equal(article.author.following, false)
    }

    assert.equal(
      (await call('GET', `/articles/${slug}`, undefined, token('Bob')))[1].article.favorited,
      false
    )
  })

  test(`articles are listed and filtered, on ${state}`, async () => {
    const list = async (query: string, token?: string) => {
      const [status, body] = await call('GET', `/articles${query}`, undefined, token)

      assert.equal(status, 200)

      return body
    }
    const slugs = async (query: string) => (await list(query)).articles.map((article: any) => article.slug)
    const [, { article: newest }] = await call(
      ...(['POST', '/articles'] as const),
      { article: { title: 'Newest', description: 'd', body: 'b' } },
      token('Ada')
    )
    const all = await list('', token('Ada'))
    const [first, second] = all.articles

    assert.equal(all.articlesCount, all.articles.length)
    assert.deepEqual([first.slug, second.slug], [newest.slug, slug])
    assert.deepEqual(Object.keys(all).sort(), ['articles', 'articlesCount'])
    assert.deepEqual(Object.keys(second).sort(), [
      ...[
        'author',
        'createdAt',
        'description',
        'favorited',
        'favoritesCount',
        'slug',
        'tagList',
        'title',
        'updatedAt'
      ]
    ])
    assert.deepEqual([second.favorited, second.favoritesCount, first.favorited], [true, 1, false])
    assert.deepEqual(Object.keys(second.author).sort(), ['bio', 'following', 'image', 'username'])
    assert.deepEqual((await list('')).articles[1], { ...second, favorited: false })

    assert.deepEqual(await slugs(`?tag=${tag('steam')}`), [slug])
    assert.deepEqual(await slugs(`?author=${name('Ada')}`), [newest.slug])
    assert.deepEqual(await slugs(`?favorited=${name('Ada')}`), [slug])
    assert.deepEqual(await slugs(`?favorited=${name('Ada')}&author=${name('Bob')}&tag=${tag('brass')}`), [
      slug
    ])
    assert.deepEqual(await slugs(`?favorited=${name('Ada')}&author=${name('Ada')}`), [])
    assert.deepEqual(await list('?author=unknown'), { articles: [], articlesCount: 0 })
    assert.deepEqual(await slugs('?limit=1&offset=1'), [slug])
    assert.equal((await list('?limit=1')).articlesCount, all.articlesCount)
    assert.equal((await call('GET', '/articles?limit=x'))[0], 422)
    assert.equal((await call('GET', '/articles?limit=-1'))[0], 422)
    assert.equal((await call('GET', '/articles', undefined, 'of-nothing'))[0], 401)
  })

  test(`the feed has articles of those whom the caller follows, on ${state}`, async () => {
    const feed = async (query = '') => {
      const [status, body] = await call('GET', `/articles/feed${query}`, undefined, token('Ada'))

      assert.equal(status, 200)

      return body
    }

    assert.equal((await call('GET', '/articles/feed'))[0], 401)
    assert.deepEqual(await feed(), { articles: [], articlesCount: 0 })
    await call('POST', `/profiles/${name('Bob')}/follow`, undefined, token('Ada'))

    const { articles, articlesCount } = await feed()

    assert.equal(articlesCount, 1)
    assert.deepEqual(
      [articles[0].slug, articles[0].author.following, articles[0].favorited],
      [slug, true, true]
    )
    assert.ok(!('body' in articles[0]))
    assert.deepEqual((await feed('?offset=1')).articles, [])
    assert.equal((await call('GET', '/articles/feed?limit=x', undefined, token('Ada')))[0], 422)
  })

  test(`articles have comments, on ${state}`, async () => {
    const path = `/articles/${slug}/comments`
    const comment = (body: string, token?: string) => call('POST', path, { comment: { body } }, token)

    assert.equal((await comment('Good'))[0], 401)
    assert.deepEqual(await call('GET', path), [200, { comments: [] }])

    const [status, { comment: created }] = await comment('Good', token('Ada'))
    const { id, createdAt, updatedAt, ...shown } = created

    assert.equal(status, 200)
    assert.ok(Number.isInteger(id) && isTime(createdAt) && isTime(updatedAt))
    assert.deepEqual(shown, {
      ...{ body: 'Good', author: { username: name('Ada'), bio: null, image: null, following: false } }
    })
    assert.deepEqual(await call('GET', path), [200, { comments: [created] }])
    assert.equal((await comment('', token('Ada')))[0], 422)
    assert.equal((await call('GET', '/articles/none/comments'))[0], 404)
    assert.equal(
      (await call('POST', '/articles/none/comments', { comment: { body: 'x' } }, token('Ada')))[0],
      404
    )

    const [, { articles }] = await call('GET', `/articles?author=${name('Ada')}`)
    const remove = (path: string, token?: string) => call('DELETE', path, undefined, token)

    assert.equal((await remove(`${path}/${id}`))[0], 401)
    assert.equal((await remove(`${path}/${id}`, token('Bob')))[0], 403)
    assert.equal((await remove(`/articles/${articles[0].slug}/comments/${id}`, token('Ada')))[0], 404)
    assert.deepEqual(await remove(`${path}/${id}`, token('Ada')), [204, undefined])
    assert.deepEqual(await call('GET', path), [200, { comments: [] }])

    await comment('Left', token('Ada'))
    await call('DELETE', `/articles/${slug}/favorite`, undefined, token('Ada'))

    const [, { article }] = await call('DELETE', `/articles/${slug}/favorite`, undefined, token('Ada'))

    assert.deepEqual([article.favorited, article.favoritesCount], [false, 0])

    if (round === 1) assert.equal((await remove(`/articles/${slug}`, token('Bob')))[0], 204)
  })
}

test('clients get no other fields', async () => {
  const user = { username: 'Fay', email: 'fay@example.com', password: 'correct horse' }
  const [, { user: created }] = await call('POST', '/users', { user })
  const article = { title: 'Kept', description: 'd', body: 'b' }
  const [, { article: written }] = await call('POST', '/articles', { article }, created.token)
  const [status, session] = await call('POST', '/authentication', { strategy: 'local', ...user })

  await call('POST', `/articles/${written.slug}/favorite`, undefined, created.token)
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(session.user).sort(), ['bio', 'email', 'image', 'username'])

  for (const relation of ['fans', 'follows', 'tags']) {
    const path = `/articles/${written.slug}?$include[]=${relation}`
    const [, { article }] = await call('GET', path, undefined, created.token)

    assert.ok(!article || !(relation in article), relation)
  }
})

test('pages of other origins may call', async () => {
  const response = await fetch(`${url}/api/tags`, { headers: { Origin: 'https://example.com' } })

  assert.equal(response.headers.get('access-control-allow-origin'), '*')
})
