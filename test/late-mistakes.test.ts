import { expect, it, onTestFinished } from 'vitest'
import { isFeathersError } from '../src/errors.ts'
import { express, rest } from '../src/express.ts'
import { alula } from '../src/index.ts'
import { memory } from '../src/memory.ts'
import { handleSocket } from '../src/transport.ts'
import { application, createSecured } from './support/mistakes.ts'

// What developers get wrong, where it shows at the start of the application or with a call.

const mistakes: { [mistake: string]: [act: () => Promise<unknown>, sentence: string] } = {
  'data that nobody has awaited': [
    () =>
      application()
        .service('messages')
        .create(Promise.resolve({ text: 'Hello' })),
    "Invalid data: expected an object, got an instance of Promise (is an 'await' missing?)"
  ],
  'a record that would be replaced by nothing': [
    async () => {
      const service = alula()
        .use('messages', memory({ store: { 1: { id: 1, text: 'Hello' } } }))
        .service('messages')

      try {
        await service.update(1, new Map([['text', 'Bye']]) as any)
      } finally {
        expect(await service.get(1)).toEqual({ id: 1, text: 'Hello' })
      }
    },
    'Invalid data: expected an object, got an instance of Map'
  ],
  'a query that nobody has awaited': [
    () =>
      application()
        .service('messages')
        .find({ query: Promise.resolve({}) }),
    "Invalid query: expected an object, got an instance of Promise (is an 'await' missing?)"
  ],
  'a message without a connection': [
    async () => {
      const connection = {}
      const [error] = await handleSocket(
        application(),
        { method: 'find', path: 'messages', args: [], connection },
        () => undefined
      )

      throw error
    },
    "A connection needs a 'provider', the name of its transport"
  ],
  'no secret': [
    () => createSecured({ secret: undefined }).setup(),
    "A 'secret' must be provided in your authentication configuration"
  ],
  'an entity service that is not there': [
    () => createSecured({ service: 'user' }).setup(),
    "Can not find service 'user'. Did you mean 'users'?"
  ],
  'app.listen before app.setup has finished': [
    async () => {
      const app: any = express(alula()).configure(rest())
      let finish: (value?: unknown) => void = () => undefined

      app.use('slow', { find: async () => [], setup: () => new Promise((resolve) => (finish = resolve)) })

      const setup = app.setup()

      onTestFinished(async () => void (await setup))

      try {
        await app.listen(0)
      } finally {
        finish()
      }
    },
    'app.setup() has not finished: await it before app.listen(), or leave it out'
  ]
}

it.each(Object.entries(mistakes))(
  '%s is met by an error with a sentence',
  async (_mistake, [act, sentence]) => {
    const error = await act().then(
      () => undefined,
      (thrown) => thrown
    )

    expect(error?.message).toContain(sentence)
    // A client can cause the others.
    if (!isFeathersError(error)) expect(error.message).toMatch(/ \(ALULA_[A-Z_]+\)$/)
  }
)
