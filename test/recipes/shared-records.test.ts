import { io } from 'socket.io-client'
import { expect, it, onTestFinished } from 'vitest'
import { readBlocks, readPage } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { extendOwnNotes } from './own-notes.ts'

const [recipe] = readBlocks(await readPage('recipes/24-shared-records'), 'js') as [string]

async function start() {
  const { address, waitFor } = await runServer(extendOwnNotes(recipe, ''), {
    SECRET: 'a secret of more than thirty-two bytes'
  })
  const [ada, grace] = (await waitFor('tokens')).split(' ').slice(1) as [string, string]

  async function call(token: string, path: string, method = 'GET', data?: object) {
    const response = await fetch(`http://${address}/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      ...(data && { body: JSON.stringify(data) })
    })

    return { status: response.status, body: (await response.json()) as any }
  }

  const share = async (right: string) => {
    await call(ada, 'lists', 'POST', { name: 'Shopping' })

    return call(ada, 'members', 'POST', { listId: 1, userId: 2, right })
  }

  return { address, ada, grace, call, share }
}

it('a list is seen by those it is shared with, and its items are changed by editors alone', async () => {
  const { ada, grace, call, share } = await start()

  await call(ada, 'lists', 'POST', { name: 'Shopping' })
  await call(ada, 'items', 'POST', { listId: 1, text: 'Milk' })
  expect((await call(grace, 'lists/1')).status).toBe(404)
  expect((await call(grace, 'items')).body).toEqual([])
  expect((await call(grace, 'items', 'POST', { listId: 1, text: 'Tea' })).status).toBe(403)

  await call(ada, 'members', 'POST', { listId: 1, userId: 2, right: 'read' })
  expect((await call(grace, 'lists/1?$include=items')).body.items).toMatchObject([{ text: 'Milk' }])
  expect((await call(grace, 'items/1', 'PATCH', { text: 'Tea' })).status).toBe(403)
  expect((await call(grace, 'items', 'POST', { listId: 1, text: 'Tea' })).status).toBe(403)
  expect((await call(grace, 'lists/1', 'PATCH', { name: 'Mine' })).status).toBe(403)

  await call(ada, 'members/1', 'DELETE')
  expect((await call(grace, 'lists/1')).status).toBe(404)
  expect((await share('edit')).status).toBe(201)
  expect((await call(grace, 'items', 'POST', { listId: 1, text: 'Tea' })).status).toBe(201)
  expect((await call(grace, 'items/1', 'PATCH', { text: 'Oat milk' })).status).toBe(200)
})

it('an item is not moved to a list of somebody else', async () => {
  const { ada, grace, call } = await start()

  await call(ada, 'lists', 'POST', { name: 'Of Ada' })
  await call(grace, 'lists', 'POST', { name: 'Of Grace' })
  await call(grace, 'items', 'POST', { listId: 2, text: 'Tea' })
  expect((await call(grace, 'items/1', 'PATCH', { listId: 1 })).status).toBe(403)
  expect((await call(grace, 'items/1', 'PUT', { listId: 1, text: 'Tea' })).status).toBe(403)
})

it('members are added and removed by the owner, and leave by themselves', async () => {
  const { ada, grace, call, share } = await start()

  expect((await share('read')).status).toBe(201)
  expect((await call(ada, 'members', 'POST', { listId: 1, userId: 2, right: 'edit' })).status).toBe(409)
  expect((await call(grace, 'members', 'POST', { listId: 1, userId: 3, right: 'edit' })).status).toBe(404)
  expect((await call(grace, 'members')).body).toMatchObject([{ userId: 2 }])
  expect((await call(grace, 'members/1', 'DELETE')).status).toBe(200)
  expect((await call(grace, 'lists')).body).toEqual([])
})

it('events go to the owner and the members of a list', async () => {
  const { address, ada, grace, call, share } = await start()
  const socket = io(`http://${address}`, { transports: ['websocket'] })

  onTestFinished(() => void socket.close())
  await new Promise<void>((resolve) => void socket.once('connect', resolve))
  await socket.emitWithAck('create', 'authentication', { strategy: 'jwt', accessToken: grace })

  const texts: string[] = []
  const last = new Promise((resolve) => {
    socket.on('items created', ({ text }) => {
      texts.push(text)
      if (text === 'Last') resolve(undefined)
    })
  })

  await call(ada, 'lists', 'POST', { name: 'Of Ada alone' })
  await call(ada, 'items', 'POST', { listId: 1, text: 'Secret' })
  await share('read')
  await call(ada, 'items?$select=text', 'POST', { listId: 1, text: 'Milk' })
  await call(ada, 'members/1?$select=right', 'DELETE')
  await call(ada, 'items', 'POST', { listId: 1, text: 'Secret too' })
  await call(ada, 'members', 'POST', { listId: 1, userId: 2, right: 'edit' })
  await call(ada, 'items', 'POST', { listId: 1, text: 'Last' })
  await last
  expect(texts).toEqual(['Milk', 'Last'])
})
