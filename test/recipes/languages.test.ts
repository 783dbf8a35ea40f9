import { it } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { expectSession } from '../support/session.ts'

const page = await readPage('recipes/17-languages')
const [program, locales] = readBlocks(page, 'js') as [string, string]
const [shown, ofSchemas] = readBlocks(page, 'console') as [string, string]
const LISTEN = 'await app.listen(3030)'

const UNTRANSLATED = `
$ curl localhost:3030/orders/5
{"name":"NotFound","message":"No record found for id '5'","code":404,"className":"not-found"}
$ curl -i localhost:3030/nowhere -H 'Accept-Language: de;q=0.1,en;q=0,__proto__,en;q=bad' | grep -E 'Vary|message'
Vary: Accept-Language, Accept
{"name":"NotFound","message":"Das gibt es nicht","code":404,"className":"not-found","data":{"url":"/nowhere"}}
`

it('errors are in the language of the client', async () => {
  const { address } = await runServer(program)

  await expectSession([shown, UNTRANSLATED], { 'localhost:3030': address })
})

it('messages of Zod are in the language of the client', async () => {
  const { address } = await runServer(toModule(program.replace(LISTEN, ''), locales, LISTEN))

  await expectSession(
    [
      ofSchemas,
      `
$ curl localhost:3030/orders -H 'Content-Type: application/json' -d '{"product":"","amount":1}'
{"name":"BadRequest","message":"…","code":400,"className":"bad-request","data":{},"errors":{"product":"Too small: expected string to have >=3 characters"}}`
    ],
    { 'localhost:3030': address }
  )
})
