import { expect, it } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runToEnd } from '../support/program.ts'

const [application, lambda] = readBlocks(await readPage('recipes/23-runtimes'), 'js') as [string, string]

/** An event of version 2.0, with the fields that AWS documents. */
const CALLS = `
const toEvent = (method, rawPath, { query = '', ...event } = {}) => ({
  version: '2.0',
  rawPath,
  rawQueryString: query,
  headers: { 'content-type': 'application/json', host: 'id.lambda-url.eu-west-1.on.aws' },
  requestContext: { domainName: 'id.lambda-url.eu-west-1.on.aws', http: { method, path: rawPath, sourceIp: '192.0.2.1' } },
  isBase64Encoded: false,
  ...event
})

async function print(...event) {
  const { statusCode, headers, cookies, body, isBase64Encoded } = await lambda(toEvent(...event))

  console.log(statusCode, headers['content-type'], cookies.length, isBase64Encoded, Buffer.from(body, 'base64').toString())
}

app.service('notes').hooks({
  before: { create: [async ({ data, params }) => { data.from = [params.address, params.headers.cookie] }] },
  after: { remove: [async ({ http }) => { http.headers = { 'Set-Cookie': ['a=1', 'b=2'] } }] }
})

await print('POST', '/notes', { body: '{"text":"Héllo"}', cookies: ['a=1', 'b=2'] })
await print('POST', '/notes', { body: Buffer.from('{"text":"Wörld"}').toString('base64'), isBase64Encoded: true })
await print('GET', '/notes', { query: 'text%5B$gt%5D=I&$select%5B%5D=text' })
await print('DELETE', '/notes/2')
await print('GET', '/notes/a?b')
await print('POST', '/notes', { body: '{"text":' })
await print('PUT', '/notes/1', { body: '{}' })
`

it('the function of the recipe for Lambda responds to events', async () => {
  const code = toModule(application.replace('export ', ''), lambda.replace(/^import.*$/m, ''), CALLS)
  const type = 'application/json; charset=utf-8'

  expect(await runToEnd(code)).toEqual([
    `201 ${type} 0 true {"text":"Héllo","from":["192.0.2.1","a=1; b=2"],"id":1}`,
    `201 ${type} 0 true {"text":"Wörld","from":["192.0.2.1",null],"id":2}`,
    `200 ${type} 0 true {"total":1,"limit":10,"skip":0,"data":[{"text":"Wörld","id":2}]}`,
    `200 ${type} 2 true {"text":"Wörld","from":["192.0.2.1",null],"id":2}`,
    expect.stringMatching(/^404 .*No record found for id 'a\?b'/),
    expect.stringMatching(/^400 .*expected valid JSON/),
    expect.stringMatching(/^405 /)
  ])
})
