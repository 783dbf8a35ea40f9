import { describe, expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { clients, createConnect, echo, record, start } from './socketio-clients.ts'

// The same client, and the events that it hears.

for (const [name, create] of Object.entries(clients)) {
  const { connect, open } = createConnect(create)

  describe(`the official Socket.IO client in an application of ${name}`, () => {
    it('hears one event for each item of a result', async () => {
      const { client } = await open((app) => app.use('messages', memory({ multi: true })))
      const messages = client.service('messages')
      const heard = record(messages, 'created', 'patched', 'removed')

      await messages.create([{ n: 1 }, { n: 2 }])
      await messages.patch(null, { m: 0 })
      await messages.remove(null)

      // They are sent before the answer.
      expect(heard).toEqual([
        ['created', { id: 0, n: 1 }],
        ['created', { id: 1, n: 2 }],
        ['patched', { id: 0, n: 1, m: 0 }],
        ['patched', { id: 1, n: 2, m: 0 }],
        ['removed', { id: 0, n: 1, m: 0 }],
        ['removed', { id: 1, n: 2, m: 0 }]
      ])
    })

    it('hears of custom events', async () => {
      let app: any
      const { client } = await open((application) => {
        app = application
        app.use('jobs', { find: async () => [] }, { events: ['progress'] })
      })
      const heard = record(client.service('jobs'), 'progress')

      app.service('jobs').emit('progress', { percent: 50 })
      app.service('jobs').emit('progress', [1, 2])
      await client.service('jobs').find()

      expect(heard).toEqual([
        ['progress', { percent: 50 }],
        ['progress', [1, 2]]
      ])
    })

    it('sends no events of its own', async () => {
      const url = await start((app) => {
        app.use('messages', memory())
        app.service('messages').publish(() => undefined)
      })
      const { client } = await connect(url)
      const heard = record(client.service('messages'), 'created')

      await client.service('messages').create({ n: 1 })
      expect(heard).toEqual([])
    })

    it('listens by the methods of an emitter', async () => {
      let app: any
      const { client, socket } = await open((application) => {
        app = application
        app.use('jobs', { find: async () => [] }, { events: ['progress', 'done'] })
      })
      const jobs = client.service('jobs')
      const heard: string[] = []
      const listen = (name: string) => () => heard.push(name)
      const [on, off, gone] = [listen('on'), listen('off'), listen('removeListener')]
      // One after another: the answer comes after the event.
      const emit = async (event: string) => {
        app.service('jobs').emit(event, {})
        await jobs.find()

        return heard.splice(0)
      }

      expect(jobs.on('progress', on)).toBe(jobs)
      expect(jobs.once('progress', listen('once'))).toBe(jobs)
      jobs.on('progress', off).addEventListener('progress', gone)
      jobs.on('done', listen('done'))

      expect(jobs.listeners('progress')).toHaveLength(4)
      expect(socket.listeners('jobs progress')).toHaveLength(4)
      expect(await emit('progress')).toEqual(['on', 'once', 'off', 'removeListener'])
      expect(jobs.listeners('progress')).toHaveLength(3)
      expect(await emit('progress')).toEqual(['on', 'off', 'removeListener'])

      expect(jobs.off('progress', off)).toBe(jobs)
      expect(jobs.removeListener('progress', gone)).toBe(jobs)
      expect(await emit('progress')).toEqual(['on'])

      expect(jobs.removeAllListeners('progress')).toBe(jobs)
      expect(await emit('progress')).toEqual([])
      expect(jobs.listeners('progress')).toEqual([])
      expect(await emit('done')).toEqual(['done'])
    })

    it('says which methods of an emitter its socket does not have', async () => {
      const { client } = await open((app) => app.use('jobs', echo))

      for (const method of ['listenerCount', 'addListener', 'prependListener', 'eventNames']) {
        expect(() => client.service('jobs')[method]('created', () => undefined)).toThrow(
          `Can not call '${method}' on the client service connection`
        )
      }
    })
  })
}
