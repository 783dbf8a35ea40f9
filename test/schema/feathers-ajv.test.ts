import { getValidator, querySyntax, Type } from '@feathersjs/typebox'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { VALIDATED } from '../../src/adapter.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { failing, outside } from './support/notes.ts'

describe('an instance of Ajv of Feathers', () => {
  const userSchema = Type.Object(
    { id: Type.Number(), email: Type.String() },
    { $id: 'User', additionalProperties: false }
  )
  const messageSchema = Type.Object(
    { id: Type.Number(), text: Type.String(), user: Type.Optional(Type.Ref(userSchema)) },
    { $id: 'Message', additionalProperties: false }
  )
  const messageDataSchema = Type.Pick(messageSchema, ['text'], { $id: 'MessageData' })
  const messageQuerySchema = querySyntax(Type.Pick(messageSchema, ['id', 'text']))

  function use(settings: object): any {
    const app: any = alula()

    app.use('messages', memory(), {
      schema: schema({
        record: messageSchema,
        create: messageDataSchema,
        query: messageQuerySchema,
        ...settings
      })
    })

    return app.service('messages')
  }

  it.each([true, false])(
    'has schemas by their $id, whether Feathers has compiled them: %j',
    async (isCompiled) => {
      const ajv = new Ajv({})

      if (isCompiled) {
        for (const one of [userSchema, messageSchema, messageDataSchema]) getValidator(one, ajv as any)
      } else schema({ record: userSchema, ajv })

      const declared = schema({ record: messageSchema, create: messageDataSchema, ajv })
      const app: any = alula()

      app.use('messages', memory({ multi: true }), { schema: declared })

      const messages = app.service('messages')

      expect(declared.definition?.record).toMatchObject({
        properties: { user: { properties: { email: { type: 'string' } } } }
      })
      expect(await messages.create({ text: 'a' }, outside)).toEqual({ id: 0, text: 'a' })
      expect(await failing(messages.create([{ text: 5 }, {}], outside))).toEqual([
        400,
        { '0.text': 'expects a string, got a number', '1.text': 'is required' }
      ])
    }
  )

  it('cannot find a schema that it does not have', () => {
    expect(() => schema({ record: messageSchema, ajv: new Ajv() })).toThrow(
      /is not a valid JSON Schema: .*User/
    )
  })

  it('for data leaves the conversion of queries to us, which is exact and leaves nothing out', async () => {
    const ajv = new Ajv({})

    schema({ record: userSchema, ajv })

    const messages = use({ ajv })
    const find = (query: object) => messages.find({ ...outside, query })

    await messages.create({ text: 'a' })

    expect(await find({ id: '0', $limit: '1', $sort: { id: '-1' } })).toHaveLength(1)
    for (const id of ['', '00', '0e0', 'x', { $gt: '' }]) expect((await failing(find({ id })))[0]).toBe(400)
  })

  it('may be undefined for queries: then their conversion is left to us too', async () => {
    const data = new Ajv({})

    schema({ record: userSchema, ajv: data })

    const messages = use({ ajv: { data, query: undefined } })
    const find = (query: object) => messages.find({ ...outside, query })

    await messages.create({ text: 'a' })

    expect(await find({ id: '0' })).toHaveLength(1)
    expect((await failing(find({ id: '00' })))[0]).toBe(400)
    expect((await failing(messages.create({ text: 5 }, outside)))[0]).toBe(400)
  })

  it('for queries converts them as Feathers does', async () => {
    const data = new Ajv({})

    schema({ record: userSchema, ajv: data })

    const messages = use({ ajv: { data, query: new Ajv({ coerceTypes: true }) } })
    const find = (query: object) => messages.find({ ...outside, query })

    await messages.create({ text: '5' })
    messages.hooks({
      before: { find: [({ params }: any) => expect(params.query[VALIDATED]).toBe(true)] }
    })

    expect(await find({ id: '00', text: 5 })).toEqual([{ id: 0, text: '5' }])
    expect((await failing(find({ id: 'x' })))[0]).toBe(400)
    expect((await failing(find({ other: '1' })))[1]).toEqual({ other: 'is not a known field' })
  })

  it('may have schemas that take time', async () => {
    const ajv = new Ajv({})

    ajv.addKeyword({
      keyword: 'isFree',
      async: true,
      validate: async (_: unknown, value: unknown) => value !== 'taken'
    })
    ajv.addKeyword({
      keyword: 'isReached',
      async: true,
      validate: async (_: unknown, value: unknown) => {
        if (value === 'lost') throw new Error('no connection')

        return true
      }
    })

    const app: any = alula()
    const record = {
      $async: true,
      type: 'object',
      properties: { id: { type: 'integer' }, name: { type: 'string', isFree: true, isReached: true } }
    }

    app.use('names', memory(), { schema: schema(record, { ajv }) })

    const names = app.service('names')

    expect(await names.create({ name: 'free' }, outside)).toEqual({ id: 0, name: 'free' })
    expect(await failing(names.create({ name: 'taken' }, outside))).toEqual([400, { name: 'is not valid' }])
    await expect(names.create({ name: 'lost' }, outside)).rejects.toThrow('no connection')
  })
})
