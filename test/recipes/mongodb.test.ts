import { expect, it } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runToEnd } from '../support/program.ts'

const [program] = readBlocks(await readPage('recipes/21-mongodb'), 'js') as [string]

/** Calls that end in the hook, and one that looks for a server on a port where there is none. */
const CALLS = `
const notes = app.service('notes')
const seen = []
const print = async (promise) => console.log(await promise.catch(({ name, code, message }) => [code ?? name, message].join(' ')))

notes.hooks({
  before: {
    find: [async (context) => { seen.push(context.params.query); context.result = [] }],
    create: [async (context) => { seen.push(context.data); context.result = context.data }]
  }
})

const id = '65a1b2c3d4e5f60718293a4b'

await print(notes.find({ query: { ownerId: { $in: [id] }, text: id } }))
await print(notes.create([{ ownerId: id, text: id }, { text: 'none' }]))
for (const one of seen.flat()) console.log(one)
await print(app.asClient().service('notes').find({ query: { ownerId: 'ada' } }))
await print(app.asClient().service('notes').update(id, {}))
await print(notes.get(id))
await client.close()`

it('the program of the recipe for MongoDB registers its service and converts ids', async () => {
  const code = toModule(program.replace('await app.listen(3030)', ''), CALLS)
    .replace('serverSelectionTimeoutMS: 3000', 'serverSelectionTimeoutMS: 200')
    .replace('process.env.MONGODB_URL', "'mongodb://127.0.0.1:9/notes'")
  const lines = (await runToEnd(code)).join('\n')

  expect(lines).toContain("ownerId: { '$in': [ new ObjectId('65a1b2c3d4e5f60718293a4b') ] }")
  expect(lines).toMatch(
    /ownerId: new ObjectId\('65a1b2c3d4e5f60718293a4b'\),\s+text: '65a1b2c3d4e5f60718293a4b'/
  )
  expect(lines).toContain("{ text: 'none' }")
  expect(lines).toContain("400 Invalid id 'ada'")
  expect(lines).toContain('405 ')
  expect(lines).toMatch(/ECONNREFUSED/)
})
