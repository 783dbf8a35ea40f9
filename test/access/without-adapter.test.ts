import { describe, expect, it } from 'vitest'
import { access, anyone, owner } from '../../src/access.ts'
import { createApp, toStatus } from './support/application.ts'
import { createNotes, NOTES } from './support/notes.ts'

describe('access without an adapter', () => {
  const records = new Map<number, any>()
  const service = {
    async find() {
      return [...records.values()]
    },
    async get(id: number) {
      const record = records.get(Number(id))

      if (!record) throw Object.assign(new Error('none'), { code: 404 })

      return record
    },
    async patch(id: number, data: object) {
      records.set(id, { ...records.get(id), ...data })

      return records.get(id)
    },
    async remove(id: number) {
      const record = records.get(id)

      records.delete(id)

      return record
    }
  }

  it('checks what is returned, and looks up what is to be changed', async () => {
    for (const note of Object.values(NOTES)) records.set(note.id, note)

    const { notes, ada } = await createNotes({ all: owner('ownerId') }, service)

    expect(await toStatus(notes.get(1, ada))).toBe(200)
    expect(await toStatus(notes.get(2, ada))).toBe(404)
    expect(await toStatus(notes.find(ada))).toBe(500)
    expect(await toStatus(notes.patch(2, { text: 'x' }, ada))).toBe(404)
    expect(await toStatus(notes.patch(1, { ownerId: 2 }, ada))).toBe(403)
    expect(await toStatus(notes.patch(1, { text: 'x' }, ada))).toBe(200)
    expect(await toStatus(notes.remove(null, ada))).toBe(403)
    expect(await toStatus(notes.remove(2, ada))).toBe(404)
    expect(records.size).toBe(2)
  })

  it('says 403 for a record that the caller may see, and refuses data that is no record', async () => {
    for (const note of Object.values(NOTES)) records.set(note.id, note)

    const { notes, ada } = await createNotes({ get: anyone, patch: owner('ownerId') }, service)

    expect(await toStatus(notes.patch(2, { text: 'x' }, ada))).toBe(403)
    expect(await toStatus(notes.patch(1, 'text', ada))).toBe(403)
    expect(await toStatus(notes.patch(1, { text: 'x' }, ada))).toBe(200)
  })

  it('reads what a rule is about although the client selects other fields', async () => {
    const select = (record: any, { query }: any) =>
      query?.$select
        ? Object.fromEntries([query.$select].flat().map((name: string) => [name, record[name]]))
        : record
    const selecting = {
      find: async (params: any) => [select(NOTES[1], params)],
      get: async (id: number, params: any) => select(Object(NOTES)[id], params)
    }
    const { notes, ada } = await createNotes({ all: owner('ownerId') }, selecting)
    const params = { ...ada, query: { $select: ['text'] } }
    const { text, ownerId } = NOTES[1]

    expect(await notes.get(1, params)).toEqual({ text })
    expect(await notes.find(params)).toEqual([{ text }])
    expect(await notes.find({ ...ada, query: { $select: 'text' } })).toEqual([{ text }])
    expect(await notes.get(1, { ...ada, query: { $select: ['text', 'ownerId'] } })).toEqual({ text, ownerId })
    expect(await toStatus(notes.get(2, params))).toBe(404)
  })

  it('shows of an object that its rule reads only what the client selects', async () => {
    class Note {
      readonly owner = { id: 1, name: 'ada' }
      readonly text = 'a'
    }

    for (const record of [{ ...new Note() }, new Note()]) {
      const reading = { get: async () => record, find: async () => [record] }
      const { notes, nobody } = await createNotes({ all: () => ({ 'owner.id': 1 }) }, reading)
      const select = (...$select: string[]) => ({ ...nobody, query: { $select } })

      expect(await notes.get(1, select('owner.name'))).toEqual({ owner: { name: 'ada' }, text: 'a' })
      expect(await notes.find(select('owner.name'))).toEqual([{ owner: { name: 'ada' }, text: 'a' }])
      expect(await notes.get(1, select('text'))).toEqual({ text: 'a' })
      expect(await notes.get(1, select('owner', 'text'))).toEqual(record)
      expect(record.owner).toEqual({ id: 1, name: 'ada' })
    }
  })

  it('refuses queries for methods of which it does not know what they concern', async () => {
    const archive = { archive: async () => 'done', find: async () => [] }

    expect(() =>
      createApp().use('notes', archive as any, {
        methods: ['find', 'archive'],
        access: access({ all: owner('ownerId') })
      })
    ).toThrow("owner('ownerId') for 'archive', which is no standard method")

    const { notes, nobody } = await createNotes({ archive: () => ({ ownerId: 1 }) }, archive, {
      methods: ['archive']
    })

    expect(await toStatus(notes.archive({}, nobody))).toBe(401)
  })
})
