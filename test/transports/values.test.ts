import { describe, expect, it } from 'vitest'
import { alula, createContext } from '../../src/index.ts'
import { schema } from '../../src/schema.ts'
import { SECRET } from './support/notes.ts'

describe('what is no plain object', () => {
  class Place {
    city = 'Rome'
    code = SECRET
  }

  class Document extends Place {
    toJSON() {
      return { city: this.city, code: this.code }
    }
  }

  class ObjectId {
    key = SECRET

    toJSON() {
      return 'id'
    }
  }

  async function show(record: unknown, fields: object, hidden: string[] = []): Promise<unknown> {
    const app = alula()

    app.on('error', () => undefined)
    app.use(
      'places',
      { get: async () => record },
      { schema: schema({ type: 'object', properties: fields }, { hidden }) }
    )

    const service = app.service('places')
    const { dispatch } = await service.get(0, { provider: 'rest' }, createContext(service, 'get'))

    return dispatch
  }

  const city = { city: { type: 'string' } }
  const place = { type: 'object', properties: city }

  it('leaves by its declared fields, as a record and as a field of one', async () => {
    for (const Class of [Place, Document]) {
      expect(await show(new Class(), city)).toEqual({ city: 'Rome' })
      expect(await show({ at: new Class() }, { at: place })).toEqual({ at: { city: 'Rome' } })
      expect(await show({ at: [new Class()] }, { at: { type: 'array', items: place } })).toEqual({
        at: [{ city: 'Rome' }]
      })
      expect(await show({ at: new Class() }, { at: {} }, ['at.code'])).toEqual({ at: { city: 'Rome' } })
      expect(await show({ at: { any: [new Class()] } }, { at: {} }, ['at.any.code'])).toEqual({
        at: { any: [{ city: 'Rome' }] }
      })
    }
  })

  it('leaves as another instance that it makes of itself', async () => {
    class Copied extends Place {
      toJSON() {
        return Object.assign(new Copied(), { code: undefined })
      }
    }

    for (const hidden of [[], ['at.other']]) {
      expect(JSON.stringify(await show({ at: new Copied() }, { at: {} }, hidden))).toBe(
        '{"at":{"city":"Rome"}}'
      )
    }
  })

  it('leaves as the value that it makes of itself, where the field is one', async () => {
    const at = new Date(0)

    expect(JSON.stringify(await show({ at: new ObjectId() }, { at: { type: 'string' } }))).toBe('{"at":"id"}')
    expect(JSON.stringify(await show({ at: new ObjectId() }, { at: place }))).toBe('{"at":"id"}')
    expect(await show({ at }, { at: { type: 'string' } })).toEqual({ at })
    expect(await show({ at }, { at: place })).toEqual({ at })
    expect(await show({ at: new Uint8Array(1) }, { at: { type: 'string' } })).toEqual({
      at: new Uint8Array(1)
    })
  })

  it('does not leave where the field is a value and it makes none of itself', async () => {
    expect(await show({ at: new Place(), city: 'Rome' }, { at: { type: 'string' }, ...city })).toEqual({
      city: 'Rome'
    })
    expect(await show({ at: { code: SECRET }, city: 'Rome' }, { at: { type: 'string' }, ...city })).toEqual({
      city: 'Rome'
    })
    expect(await show({ at: [SECRET] }, { at: { type: 'string' } })).toEqual({})
    expect(await show('text', city)).toBe('text')
  })
})
