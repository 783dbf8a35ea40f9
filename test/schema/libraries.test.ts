import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { libraries } from './support/libraries.ts'

/** Nothing of what a client sent may come back in an error. */
const SECRET = 'sentinel-4711'

describe.each(Object.keys(libraries))('a service declared by %s', (name) => {
  function open() {
    const app = alula()

    app.use('notes', memory({ multi: true }), { schema: libraries[name]?.() })

    return app.service('notes')
  }

  const outside = { provider: 'rest' }

  it('stores what is valid, with defaults and values of the server', async () => {
    const note = await open().create(
      { text: 'a', address: { city: 'Rome' }, tags: ['x'], rating: null },
      outside
    )

    expect(note).toEqual({
      id: expect.anything(),
      text: 'a',
      done: false,
      address: { city: 'Rome' },
      tags: ['x'],
      rating: null,
      ownerId: 'ada',
      updatedAt: 'now'
    })
  })

  it.each([
    ['a', ['']],
    [{}, ['text']],
    [{ text: '' }, ['text']],
    [{ text: 5 }, ['text']],
    [{ text: 'a', done: SECRET }, ['done']],
    [{ text: 'a', kind: SECRET }, ['kind']],
    [{ text: 'a', address: { city: [SECRET] } }, ['address.city']],
    [{ text: 'a', address: {} }, ['address.city']],
    [{ text: 'a', address: { city: 'x', planet: SECRET } }, ['address.planet']],
    [{ text: 'a', tags: ['x', { [SECRET]: SECRET }] }, ['tags.1']],
    [{ text: 'a', other: SECRET }, ['other']],
    [{ text: 'a', ownerId: SECRET }, ['ownerId']],
    [{ text: 'a', id: 7 }, ['id']],
    [{ text: 5, done: SECRET, other: 1 }, ['done', 'other', 'text']],
    [
      [{ text: 'a' }, { text: 5 }, { done: 1 }],
      ['1.text', '2.done', '2.text']
    ],
    [[{ text: 'a' }, 'b'], ['1']]
  ])('refuses %j', async (data, paths) => {
    const service = open()
    const error = await service.create(data as any, outside).catch((caught: unknown) => caught)

    expect(error).toMatchObject({ name: 'BadRequest', code: 400 })
    expect(Object.keys(error.errors).sort()).toEqual(paths)
    expect(error.message).toContain('Invalid data')
    expect(JSON.stringify([error, error.message])).not.toContain(SECRET.slice(0, 8))
    expect(await service.find()).toEqual([])
  })

  it('changes what was sent, and what is made with every write', async () => {
    const service = open()
    const { id } = await service.create({ text: 'a', done: true, ownerId: 'grace', updatedAt: 'before' })

    await service.patch(id, { rating: 2 }, outside)

    expect(await service.get(id)).toEqual({
      id,
      text: 'a',
      done: true,
      rating: 2,
      ownerId: 'grace',
      updatedAt: 'now'
    })

    await service.update(id, { text: 'b' }, outside)

    expect(await service.get(id)).toEqual({ id, text: 'b', done: false, ownerId: 'grace', updatedAt: 'now' })
    await expect(service.patch(id, { text: null }, outside)).rejects.toMatchObject({ code: 400 })
    await expect(service.update(id, {}, outside)).rejects.toMatchObject({ code: 400 })
    await expect(service.patch(id, { ownerId: 'ada' }, outside)).rejects.toMatchObject({
      errors: { ownerId: 'is set by the server' }
    })
  })

  it('converts and checks queries of clients by field', async () => {
    const service = open()

    await service.create([{ text: 'a', done: true, rating: 2 }, { text: '7' }, { text: 'c', rating: null }])

    const find = async (query: object) =>
      (await service.find({ ...outside, query })).map(({ text }: { text: string }) => text)

    expect(await find({ done: 'true' })).toEqual(['a'])
    expect(await find({ text: '7' })).toEqual(['7'])
    expect(await find({ rating: { $gt: '1' } })).toEqual(['a'])
    expect(await find({ rating: { $in: '2' } })).toEqual(['a'])
    expect(await find({ $or: [{ 'address.city': 'x' }, { done: 'true' }] })).toEqual(['a'])
    for (const [query, errors] of [
      [{ done: '1' }, { done: 'expects true or false, got a string' }],
      [{ rating: '07' }, { rating: 'expects a number or null, got a string' }],
      [{ kind: SECRET }, { kind: 'expects one of "idea", "task"' }],
      [{ other: SECRET }, { other: 'is not a field that can be queried' }],
      [{ $or: [{ 'done.other': SECRET }] }, { 'done.other': 'is not a field that can be queried' }],
      [{ $sort: { other: 1 } }, { other: 'is not a field to sort by' }],
      [{ $select: ['other'] }, { other: 'is not a field to select' }]
    ] as const) {
      const error = await service.find({ ...outside, query }).catch((caught: unknown) => caught)

      expect(error).toMatchObject({ code: 400 })
      expect(JSON.stringify(error)).not.toContain(SECRET)
      expect(error.errors).toEqual(errors)
    }
  })
})
