import { proveExposure } from 'alula-testing'
import { expect, it } from 'vitest'
import { createApp, USERS } from './support/application.ts'

it('proveExposure proves the table for MCP too', async () => {
  const app = await createApp()
  const toNote = () =>
    (app.service('notes') as any)._create({ text: 'a', state: 'open', secret: 'SENTINEL', ownerId: 2 })
  const { rows } = await proveExposure(app, {
    users: { user: USERS[1], owner: USERS[2], admin: USERS[3] },
    records: { notes: toNote, users: 2 },
    data: { notes: { text: 'a', finish: { ids: [1] } }, posts: { title: 'a' } },
    transports: ['rest', 'mcp'],
    log: false
  })
  const listCalled = (name: string) =>
    rows
      .filter(({ transport }) => transport === name)
      .map(({ operation, caller }) => `${operation} ${caller}`)

  expect(listCalled('mcp')).toEqual(listCalled('rest'))
  expect(listCalled('mcp')).toContain('notes.remove owner')
})
