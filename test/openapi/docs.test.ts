import { expect, it } from 'vitest'
import { readBlocks, readPage } from '../support/page.ts'
import { runServer, runToEnd } from '../support/program.ts'

const [program = '', , restricted = '', tests = ''] = readBlocks(await readPage('openapi'), 'js')

it('the application of the guide serves its document', async () => {
  const { address } = await runServer(program)
  const document = (await (await fetch(`http://${address}/openapi.json`)).json()) as any

  expect(document.info).toEqual({ title: 'Notes', version: '1.0.0' })
  expect(Object.keys(document.components.schemas)).toEqual([
    ...['Error', 'Note', 'NoteCreate', 'NotePage'],
    ...['IntegerFilter', 'StringFilter', 'BooleanFilter', 'NumberFilter']
  ])
})

it('the document is restricted as the guide says', async () => {
  const text = `import { alula } from 'alula'\nconst app = alula()\n${restricted}process.exit()`

  await runToEnd(text)
})

it('the tests of the guide pass', async () => {
  const application = `
import { alula } from 'alula'
import { AuthenticationService, JWTStrategy } from 'alula/authentication'
import { memory } from 'alula/memory'
const app = alula()
app.set('authentication', { secret: 'a secret of a document that is long enough', service: 'users', entity: 'user', authStrategies: ['jwt'] })
const authentication = new AuthenticationService(app)
authentication.register('jwt', new JWTStrategy())
app.use('authentication', authentication)
app.use('users', memory())
`
  const text = tests.replace("from 'vitest'", "from 'node:test'").replace(/^import \{ app \}.*$/m, '')

  await runToEnd(application + text)
})
