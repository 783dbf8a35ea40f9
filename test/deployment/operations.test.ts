import { expect, it } from 'vitest'
import { follow, USER } from './follow.ts'
import { send, startLoad } from './load.ts'
import { describeMachine, startMachine } from './machine.ts'
import { readCommands } from './page.ts'

describeMachine('operating the machine of the page', () => {
  it('the secret is replaced under load: tokens of the old one count until the last step', async () => {
    const machine = await startMachine()
    const target = await follow(machine)
    const [accept, sign, end] = readCommands('Replace the secret') as [string, string, string]
    const logIn = async () =>
      (await send(target, 'POST', '/authentication', { json: { strategy: 'local', ...USER } })).body
        .accessToken
    const callWith = async (token: string) => (await send(target, 'GET', '/notes', { token })).status
    const before = await logIn()
    const load = await startLoad(target, USER)

    await machine.run(accept)
    expect(await callWith(before)).toBe(200)
    await machine.run(sign)
    await load.stop()
    expect(load.failures).toEqual([])

    const after = await logIn()

    expect([await callWith(before), await callWith(after)]).toEqual([200, 200])
    await machine.run(end)
    expect([await callWith(before), await callWith(after)]).toEqual([401, 200])
  }, 300_000)

  it('a backup is restored, and an upgrade migrates and restarts', async () => {
    const machine = await startMachine()
    const target = await follow(machine)
    const [save, restore] = readCommands('Backups') as [string, string]
    const [upgrade] = readCommands('Upgrading') as [string]
    const { body } = await send(target, 'POST', '/authentication', { json: { strategy: 'local', ...USER } })
    const token = body.accessToken
    const note = await send(target, 'POST', '/notes', { token, json: { text: 'Buy milk' } })

    await machine.run(save)
    await send(target, 'DELETE', `/notes/${note.body.id}`, { token })
    await machine.run(restore)
    expect((await send(target, 'GET', `/notes/${note.body.id}`, { token })).body).toEqual(note.body)

    expect(await machine.run(upgrade)).toContain('The database is up to date')
    expect(machine.units.ends).toEqual([0, 0])
    expect((await send(target, 'GET', '/notes', { token })).status).toBe(200)
  }, 300_000)
})
