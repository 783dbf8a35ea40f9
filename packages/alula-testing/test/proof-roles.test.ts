// Proofs of methods that are for users with a role, by the fields that the rule reads.
import { expect, it } from 'vitest'
import { access, exposure, role } from '../../../src/access.ts'
import { alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { addAuthentication } from '../../../test/support/login.ts'
import { proveExposure } from '../src/index.ts'

it.each<[string, Parameters<typeof role>, object, string]>([
  ['role', ['sales'], { role: 'sales' }, "role('sales')"],
  ['roles', ['sales'], { roles: ['staff', 'sales'] }, "role('sales')"],
  ['groups', ['sales', { field: 'groups' }], { groups: ['sales'] }, "role('sales', { field: 'groups' })"]
])('a role is in the field %s, and not in another one', async (_field, args, withRole, who) => {
  const users = { user: { id: 1, department: 'sales', teams: ['sales'] }, admin: { id: 2, ...withRole } }
  const app = alula()

  addAuthentication(app)
  app.use('users', memory({ store: { 1: users.user, 2: users.admin } as never }), { methods: [] })
  app.use('notes', memory({ store: { 7: { id: 7 } } as never }), {
    methods: ['get'],
    access: access({ all: role(...args) })
  })
  await app.setup()

  expect(exposure(app).map((row) => row.who)).toContain(who)
  await expect(proveExposure(app, { users, records: { notes: 7 }, log: false })).resolves.toBeDefined()
})

it('a role in a field that the rule does not read is no role', async () => {
  const users = { user: { id: 1 }, admin: { id: 2, role: 'sales' } }
  const app = alula()

  addAuthentication(app)
  app.use('users', memory({ store: { 1: users.user, 2: users.admin } as never }), { methods: [] })
  app.use('notes', memory({ store: { 7: { id: 7 } } as never }), {
    methods: ['get'],
    access: access({ all: role('sales', { field: 'groups' }) })
  })
  await app.setup()

  await expect(proveExposure(app, { users, records: { notes: 7 }, log: false })).rejects.toThrow(
    "notes.get: the table says role('sales', { field: 'groups' }), and no user with the role calls. Give 'users: { admin: … }'"
  )
})
