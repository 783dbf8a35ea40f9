import { expect, it } from 'vitest'
import { LOCAL_IMPORT } from '../docs/support.ts'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runServer, runToEnd } from '../support/program.ts'

const [program = '', , restricted = '', server = '', tests = ''] = readBlocks(await readPage('openapi'), 'js')

/** The program of the guide in a file that does not listen. */
const application = program.replace(/^await app\.setup[\s\S]+/m, '')

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
  await runToEnd(
    toModule(
      application,
      tests
        .replace(
          "{ afterAll, describe, it } from 'vitest'",
          "{ after as afterAll, describe, it } from 'node:test'"
        )
        .replace(LOCAL_IMPORT, '')
    )
  )
})

it('a server that imports the application of the guide serves it', async () => {
  const { address } = await runServer(toModule(application, server.replace(LOCAL_IMPORT, '')))

  expect((await fetch(`http://${address}/notes`)).status).toBe(200)
})
