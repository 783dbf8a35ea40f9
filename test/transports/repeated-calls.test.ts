import { expect, it, onTestFinished, vi } from 'vitest'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { describeTransports } from '../support/transports.ts'

/** Notes whose `find` asks for the user of each by a call. */
function configure(app: Application, count: number): void {
  app.use('users', memory())
  app.use('notes', {
    find: async () => {
      for (let id = 0; id < count; id++)
        await app
          .service('users')
          .get(id)
          .catch(() => undefined)

      return []
    },
    get: async () => {
      for (let id = 0; id < count; id++) await app.service('users').create({ id })

      return {}
    },
    remove: async () => await app.service('notes').find()
  } as any)
}

/** The warnings of repeated calls, as they are emitted. */
function collect(): string[] {
  const sentences: string[] = []
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(((sentence: string, { code }: any) => {
    if (code === 'ALULA_REPEATED_CALLS') sentences.push(sentence)
  }) as any)

  onTestFinished(() => emit.mockRestore())

  return sentences
}

const inFind = expect.stringContaining("'users.get' was called 40 times in one 'notes.find'")

describeTransports('a call that reads records one by one', (open) => {
  it('is warned of once, for each two methods', async () => {
    const sentences = collect()
    const client = await open((app) => configure(app, 40))

    await client.call('find', 'notes')
    await client.call('find', 'notes')
    // An internal call is no call of a client.
    if (client.provider === undefined) return expect(sentences).toEqual([])

    expect(sentences).toEqual([inFind])

    await client.call('remove', 'notes', { id: 1 })

    expect(sentences).toEqual([
      inFind,
      expect.stringContaining("'users.get' was called 40 times in one 'notes.remove'")
    ])
  })

  it('is not one that writes, and not several calls', async () => {
    const sentences = collect()
    const writing = await open((app) => configure(app, 40))
    const reading = await open((app) => configure(app, 15))

    await writing.call('get', 'notes', { id: 1 })
    await Promise.all([reading.call('find', 'notes'), reading.call('find', 'notes')])

    expect(sentences).toEqual([])
  })
})

it('calls that begin after the call are not its calls', async () => {
  const sentences = collect()
  const app = alula()
  let later = Promise.resolve<unknown>(undefined)
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })

  app.use('users', memory())
  app.use('jobs', {
    find: async () => {
      later = finished.then(async () => {
        for (let index = 0; index < 40; index++) await app.service('users').find()
      })

      return []
    }
  } as any)
  await app.asClient().service('jobs').find()
  finish()
  await later

  expect(sentences).toEqual([])
})

it('calls that run at once are not counted, since their reads cannot be told apart', async () => {
  const sentences = collect()
  const app = alula()

  configure(app, 40)

  const notes = app.asClient().service('notes')

  await Promise.all([notes.find(), notes.find()])
  expect(sentences).toEqual([])

  await notes.find()
  expect(sentences).toEqual([inFind])
})

it('nothing counts in production', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())

  const sentences = collect()
  const app = alula()

  configure(app, 40)
  await app.asClient().service('notes').find()

  expect(sentences).toEqual([])
  expect((app as any)._internals.repeatedCalls).toBeUndefined()
})
