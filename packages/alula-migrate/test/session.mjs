// Starts the application of the current folder, makes the calls of a file, and prints what the responses were.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [entry, calls] = process.argv.slice(2)
const loaded = await import(pathToFileURL(resolve(entry)).href)
const exported = loaded.app ?? loaded.default?.app ?? loaded.default
const app = exported.listen ? exported : exported()
const server = await app.listen(0)

if (!server.listening) await new Promise((done) => server.once('listening', done))

let token

for (const { method, path, body, headers, accept } of JSON.parse(readFileSync(calls, 'utf8'))) {
  const response = await fetch(`http://localhost:${server.address().port}/${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(accept !== undefined && { Accept: accept }),
      ...headers
    },
    body: body && JSON.stringify(body)
  })
  // Each hash is another one.
  const text = (await response.text()).replace(/(\$2[aby]\$\d+\$)[./\w]{53}/g, '$1…')
  const type = response.headers.get('Content-Type') ?? ''
  const content = type.includes('json') ? JSON.parse(text) : text

  if (content.accessToken) {
    token = content.accessToken
    content.accessToken = '…'
    delete content.authentication.accessToken
    // Times and numbers of the token.
    content.authentication.payload = Object.keys(content.authentication.payload ?? {}).length > 0
  }
  console.log(JSON.stringify([`${method} ${path}`, response.status, type.split(';')[0], content]))
}

await app.teardown()
process.exit()
