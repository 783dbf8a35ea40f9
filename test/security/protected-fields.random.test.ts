import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { scaled } from '../support/scale.ts'
import { forFind, STORE } from './support/protected-fields.ts'

// What a client could do with a query: find out a hidden field in a way that nobody has thought of.

describe('a random query', () => {
  const NAMES = [
    'email',
    'id',
    'name',
    'pass',
    'word',
    'passwordless',
    'my_password',
    'users.email',
    'a.b',
    'passwor',
    'd'
  ]
  const MENTIONS = [
    'password',
    'Password',
    'PASSWORD',
    'users.password',
    'password.length',
    'a.b.PassWord',
    'a.password.c'
  ]
  const OPERATORS = ['$gt', '$in', '$ne', '$not', '$eq', '$unknown', '$elemMatch']
  const VALUES = ['x', 'password', 'users.password', '1', '', 'null']

  type Tree = { [name: string]: any }

  const value = fc.oneof(
    fc.constantFrom(...VALUES),
    fc.string({ maxLength: 5 }),
    fc.array(fc.constantFrom(...VALUES), { maxLength: 3 })
  )
  const field = fc.constantFrom(...NAMES)
  const { tree } = fc.letrec<{ tree: Tree; condition: Tree; list: Tree[] }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      value as fc.Arbitrary<any>,
      fc.dictionary(fc.constantFrom(...OPERATORS), value, { minKeys: 1, maxKeys: 2 }),
      fc.record({ $not: tie('condition') })
    ),
    list: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.dictionary(field, tie('condition'), { minKeys: 1, maxKeys: 3 }),
      fc.dictionary(fc.constantFrom('$or', '$and', '$nor'), tie('list'), { minKeys: 1, maxKeys: 2 }),
      fc.record({ $sort: fc.dictionary(field, fc.constantFrom('1', '-1'), { minKeys: 1 }) }),
      fc.record({ $select: fc.array(field, { minLength: 1, maxLength: 3 }) })
    )
  }))

  /** All objects and arrays of a query: places for another name. */
  function listPlaces(value: any): any[] {
    if (typeof value !== 'object' || value === null) return []

    return [value, ...Object.values(value).flatMap(listPlaces)]
  }

  /** Puts a name somewhere into a query. */
  function mention(query: Tree, name: string, place: number, value: unknown): void {
    const places = listPlaces(query)
    const target = places[place % places.length]

    if (Array.isArray(target)) target.push({ [name]: value })
    else target[name] = value
  }

  const find = async (app: any, query: unknown) =>
    app
      .service('users')
      .find({ provider: 'rest', query })
      .then(
        () => 'answered',
        (error: any) => `${error.code} ${error.message}`
      )

  async function openQuietly() {
    const app: any = alula()

    app.use('users', memory({ store: STORE, operators: ['$not', '$nor'] }))
    forFind(app)

    return app
  }

  it('that names the field as a key, anywhere, is refused', async () => {
    const app = await openQuietly()

    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.constantFrom(...MENTIONS),
        fc.nat(),
        fc.oneof(value, fc.constantFrom<any>(null, 1, true, {}, [], { $gt: '' })),
        async (query, name, place, value) => {
          mention(query, name, place, value)
          expect(await find(app, query), JSON.stringify(query)).toMatch(/^400 .*cannot be queried$/)
        }
      ),
      { numRuns: scaled(2000) }
    )
  })

  it('that does not name it is not refused because of it', async () => {
    const app = await openQuietly()
    let answered = 0

    await fc.assert(
      fc.asyncProperty(tree, async (query) => {
        const answer = await find(app, query)

        expect(answer, JSON.stringify(query)).not.toMatch(/cannot be queried/)
        if (answer === 'answered') answered++
      }),
      { numRuns: scaled(2000) }
    )

    expect(answered).toBeGreaterThan(scaled(2000) / 10)
  })

  it('that finds a record finds it whatever the field holds', async () => {
    const app = await openQuietly()
    const other: any = alula()
    const store = Object.fromEntries(
      Object.entries(STORE).map(([id, user]) => [id, { ...user, password: `another ${user.email}` }])
    )

    other.use('users', memory({ store, operators: ['$not', '$nor'] }))
    forFind(other)

    let found = 0

    const see = (app: any, query: unknown) =>
      app
        .service('users')
        .find({ provider: 'rest', query })
        .then(JSON.stringify, (error: any) => error.message)

    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.option(fc.constantFrom(...MENTIONS)),
        fc.nat(),
        value,
        async (query, name, place, value) => {
          if (name !== null) mention(query, name, place, value)

          const answer = await see(app, query)

          expect(answer, JSON.stringify(query)).toBe(await see(other, query))
          if (answer.startsWith('[{')) found++
        }
      ),
      { numRuns: scaled(10_000) }
    )

    expect(found).toBeGreaterThan(scaled(10_000) / 100)
  })
})
