import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type Application, alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { schema } from '../../../src/schema.ts'
import { contractTests } from '../src/index.ts'

/** An application with notes that can be starred. */
function createNotes(): Application {
  const app = alula()
  const star = { data: z.object({}), result: z.object({}) }

  app.use('notes', Object.assign(memory(), { star: async () => ({}), sort: async () => ({}) }), {
    methods: ['remove', 'patch', 'update', 'star', 'sort', 'get', 'find', 'create'],
    routes: { 'POST /:id/star': 'star' },
    schema: schema(z.object({ id: z.int(), text: z.string() }), { methods: { star, sort: star } })
  })

  return app
}

interface Registered {
  readonly groups: string[]
  readonly tests: { readonly name: string; readonly timeout: number | undefined }[]
}

/** A test runner that writes down what is registered. */
function createRunner() {
  const registered: Registered = { groups: [], tests: [] }

  return {
    registered,
    describe(name: string, body: () => void) {
      registered.groups.push(name)
      body()
    },
    it: (name: string, _body: unknown, timeout?: number) => void registered.tests.push({ name, timeout })
  }
}

it('there is a test for each operation: first what makes records, last what removes them', async () => {
  const { registered, ...runner } = createRunner()

  contractTests(await createNotes().setup(), runner)

  expect(registered.groups).toEqual(['the document'])
  expect(registered.tests.map(({ name }) => name)).toEqual([
    'sortNotes (POST /notes/sort) is true',
    'createNote (POST /notes) is true',
    'getNote (GET /notes/{id}) is true',
    'findNotes (GET /notes) is true',
    'updateNote (PUT /notes/{id}) is true',
    'patchNote (PATCH /notes/{id}) is true',
    'starNotes (POST /notes/{id}/star) is true',
    'removeNote (DELETE /notes/{id}) is true'
  ])
  expect(new Set(registered.tests.map(({ timeout }) => timeout))).toEqual(new Set([300_000]))
})

it('operations can be left out', async () => {
  const { registered, ...runner } = createRunner()

  contractTests(await createNotes().setup(), { ...runner, skip: ['findNotes', 'removeNote'] })

  expect(registered.tests).toHaveLength(6)
  expect(registered.tests.filter(({ name }) => /^(findNotes|removeNote) /.test(name))).toEqual([])
})

it.each([
  ['describe', 'a', 'Invalid option \'describe\' of contractTests: expected a function, got "a"'],
  ['it', 7, "Invalid option 'it' of contractTests: expected a function, got 7"],
  ['after', 7, "Invalid option 'after' of contractTests: expected a function, got 7"],
  ['runs', -1, "Invalid option 'runs' of contractTests: expected a number of requests from 1, got -1"],
  ['runs', 0, "Invalid option 'runs' of contractTests: expected a number of requests from 1, got 0"],
  ['seed', 1.5, "Invalid option 'seed' of contractTests: expected an integer, got 1.5"],
  ['users', {}, "Invalid option 'users' of contractTests: expected an array of entities, got object"],
  ['skip', [7], "Invalid option 'skip' of contractTests: expected an array of operation ids, got array"],
  [
    'skip',
    ['findNote'],
    "Invalid option 'skip' of contractTests: the document has no operation 'findNote'. Did you mean 'findNotes'?"
  ],
  [
    'data',
    { createNotes: {} },
    "Invalid option 'data' of contractTests: the document has no operation 'createNotes'. Did you mean 'createNote'?"
  ],
  [
    'data',
    [7],
    "Invalid option 'data' of contractTests: expected an object with bodies by operation ids, got array"
  ],
  [
    'statuses',
    { createNote: [200] },
    "Invalid option 'statuses' of contractTests: expected an object with arrays of statuses from 400 to 499 by operation ids, got object"
  ],
  [
    'statuses',
    { getNotes: [401] },
    "Invalid option 'statuses' of contractTests: the document has no operation 'getNotes'. Did you mean 'getNote'?"
  ],
  [
    'records',
    { note: [] },
    "Invalid option 'records' of contractTests: the document has no service 'note'. Did you mean 'notes'?"
  ],
  [
    'records',
    { notes: [7] },
    "Invalid option 'records' of contractTests: expected an object with arrays of records by the paths of services, got object"
  ],
  ['log', true, "Invalid option 'log' of contractTests: expected a function or false, got true"],
  ['times', 1, "Unknown option 'times' of contractTests"]
])('the option %s is not %j', async (name, value, sentence) => {
  const { registered, ...runner } = createRunner()
  const app = await createNotes().setup()

  expect(() => contractTests(app, { ...runner, [name]: value })).toThrow(sentence)
  expect(registered.groups).toEqual([])
})

it('an application has to be set up', () => {
  const { registered, ...runner } = createRunner()

  expect(() => contractTests(createNotes(), runner)).toThrow(
    'The application is not set up: await app.setup() first (ALULA_NOT_SET_UP)'
  )
  expect(registered.groups).toEqual([])
})

it('the runner is the global one where none is given, and has to have both functions', async () => {
  const { registered, ...runner } = createRunner()
  const app = await createNotes().setup()
  const globals = globalThis as { describe?: unknown; it?: unknown; afterAll?: unknown }
  const ends: unknown[] = []
  const missing = "contractTests needs 'describe' and 'it' of a test runner (ALULA_NO_TEST_RUNNER)"

  onTestFinished(() => {
    delete globals.describe
    delete globals.it
    delete globals.afterAll
  })

  expect(() => contractTests(app)).toThrow(missing)
  expect(() => contractTests(app, { it: runner.it })).toThrow(missing)
  expect(() => contractTests(app, { describe: runner.describe })).toThrow(missing)

  Object.assign(globals, { ...runner, afterAll: (end: unknown) => ends.push(end) })
  contractTests(app)

  expect(registered.tests).toHaveLength(8)
  expect(ends).toHaveLength(1)
  // The global one is not that of another runner.
  contractTests(app, runner)
  expect(ends).toHaveLength(1)
})
