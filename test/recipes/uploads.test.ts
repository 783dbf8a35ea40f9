import { createHash, createHmac } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { readBlocks, readPage } from '../support/page.ts'
import { runToEnd } from '../support/program.ts'
import { listen } from '../support/server.ts'
import { shareProcess } from '../support/shared-process.ts'
import { extendOwnNotes } from './own-notes.ts'

const [files, declared, signing, uploads] = readBlocks(await readPage('recipes/12-uploads'), 'js') as [
  ...[string, string, string, string]
]

const filesWithSchema = `${declared}${files}`
  .replace("access: access({ all: owner('userId') })", '$&,\n  schema: files')
  .replace(/^ {2}before: \{\n[\s\S]*?^ {2}\},\n/m, '')

/** The recipe, and the same service as the section on schemas says. */
const APPLICATIONS = [
  { name: 'without a schema', code: files },
  { name: 'with a schema', code: filesWithSchema }
]

const UPLOADS = await mkdtemp(join(tmpdir(), 'uploads-'))
const S3 = {
  S3_URL: 'https://examplebucket.s3.amazonaws.com',
  S3_REGION: 'us-east-1',
  S3_KEY: 'AKIAIOSFODNN7EXAMPLE',
  S3_SECRET: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
}
const { runServer } = shareProcess({
  ...S3,
  SECRET: 'a secret of more than thirty-two bytes',
  UPLOADS
})

afterEach(async () => {
  for (const name of await readdir(UPLOADS)) await rm(join(UPLOADS, name), { force: true })
})
afterAll(() => rm(UPLOADS, { recursive: true }))

/** Storage that takes what is signed: the rules of AWS, read off the request. */
function checkSignature(request: any, response: any): void {
  const url = new URL(request.url, 'http://localhost')
  const query = url.search.slice(1).replace(/&X-Amz-Signature=.*/, '')
  const names = url.searchParams.get('X-Amz-SignedHeaders') as string
  const time = url.searchParams.get('X-Amz-Date') as string
  const scope = (url.searchParams.get('X-Amz-Credential') as string).split('/').slice(1)
  const headers = names.split(';').map((name) => `${name}:${request.headers[name]}\n`)
  const text = [request.method, url.pathname, query, headers.join(''), names, 'UNSIGNED-PAYLOAD'].join('\n')
  const hash = createHash('sha256').update(text).digest('hex')
  let key: string | Buffer = `AWS4${S3.S3_SECRET}`

  for (const part of scope) key = createHmac('sha256', key).update(part).digest()

  const signature = createHmac('sha256', key).update(`AWS4-HMAC-SHA256\n${time}\n${scope.join('/')}\n${hash}`)

  request.resume()
  response.statusCode = signature.digest('hex') === url.searchParams.get('X-Amz-Signature') ? 200 : 403
  response.end()
}

async function start(...blocks: string[]) {
  const { address, waitFor } = await runServer(extendOwnNotes(...blocks))
  const [ada, grace] = (await waitFor('tokens')).split(' ').slice(1) as [string, string]
  const call = async (path: string, token?: string, init: RequestInit = {}) => {
    const request = new Request(`http://${address}/${path}`, init)

    if (token) request.headers.set('Authorization', `Bearer ${token}`)

    // Bytes leave together with the head: a refusal may close the connection while a form is still being written.
    return fetch(request, request.body ? { body: await request.clone().arrayBuffer() } : {})
  }

  return { call, ada, grace, waitFor }
}

function toForm(text: string, type: string, name: string): RequestInit {
  const body = new FormData()

  body.append('file', new Blob([text], { type }), name)

  return { method: 'POST', body }
}

it.each(APPLICATIONS)(
  'files are stored for users within the limits, and sent to their owners, $name',
  async ({ code }) => {
    const { call, ada, grace } = await start(code)
    const form = toForm('Hello', 'text/plain', "../été 'x'.txt")

    expect((await call('files', undefined, form)).status).toBe(401)
    expect((await call('files', ada, toForm('<b>', 'text/html', 'a.html'))).status).toBe(400)
    // The connection may be closed before all of the body is written, and `fetch` then tells no status.
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(
      await call('files', ada, toForm('a'.repeat(5_000_001), 'text/plain', 'a')).then(
        ({ status }) => status,
        ({ cause }) => cause.code
      )
    )
    expect((await call('files', ada, { method: 'POST' })).status).toBe(400)
    expect(await readdir(UPLOADS)).toEqual([])
    expect((await call('files', ada, form)).status).toBe(201)

    const response = await call('downloads/1', ada)

    expect(await response.text()).toBe('Hello')
    expect(response.headers.get('content-type')).toBe('text/plain')
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename\*=UTF-8''.*%C3%A9t%C3%A9%20%27x%27\.txt$/
    )
    expect((await call('downloads/1', grace)).status).toBe(404)
    expect((await call('downloads/1')).status).toBe(401)
    expect((await call('files/1', ada, { method: 'DELETE' })).status).toBe(200)
    expect(await readdir(UPLOADS)).toEqual([])
  }
)

it.each(APPLICATIONS)(
  'a request that stores no record leaves no file, nor does a repetition, $name',
  async ({ code }) => {
    const { call, ada } = await start(
      "import { idempotency } from 'alula/idempotency'",
      'app.configure(idempotency())',
      code
    )
    const form = toForm('Hello', 'text/plain', 'a.txt')
    const forged = toForm('Hello', 'text/plain', 'a.txt')

    ;(forged.body as FormData).set('__proto__', 'x')

    for (const [path, init, status] of [
      ['files/1', { ...form, method: 'PUT' }, 415],
      ['files/1', { ...form, method: 'PATCH' }, 415],
      ['files/1', form, 405],
      ['files/1', { ...form, method: 'DELETE' }, 404],
      ['files', forged, 400]
    ] as const) {
      expect((await call(path, ada, init)).status, `${init.method} ${path}`).toBe(status)
      await expect.poll(() => readdir(UPLOADS)).toEqual([])
    }

    const headers = { 'Idempotency-Key': 'one' }

    for (const text of ['Hello', 'Other']) {
      expect((await call('files', ada, { ...toForm(text, 'text/plain', 'a.txt'), headers })).status).toBe(201)
      await expect.poll(() => readdir(UPLOADS)).toHaveLength(1)
    }

    expect(await (await call('downloads/1', ada)).text()).toBe('Hello')
  }
)

it('with a schema, clients do not see where a file is', async () => {
  const { call, ada } = await start(filesWithSchema)
  const form = toForm('Hello', 'text/plain', 'a.txt')
  const shown = { id: 1, userId: 1, name: 'a.txt', type: 'text/plain', bytes: 5 }

  expect(await (await call('files', ada, form)).json()).toEqual(shown)
  expect(await (await call('files', ada)).json()).toEqual([shown])
})

it('a client that goes away while its record is stored leaves a record with its file', async () => {
  const { call, ada, waitFor } = await start(
    "import { once } from 'node:events'",
    `app.use((request, response, next) => {
      request.feathers = { ...request.feathers, gone: once(response, 'close') }
      next()
    })`,
    files,
    `app.service('files').hooks({ around: { create: [async ({ params }, next) => {
      console.log('begun')
      await params.gone
      await next()
      console.log('stored')
    }] } })`
  )
  const client = new AbortController()
  const count = (await readdir(UPLOADS)).length
  const upload = call('files', ada, { ...toForm('Hello', 'text/plain', 'a.txt'), signal: client.signal })

  await waitFor('begun')
  client.abort()
  await expect(upload).rejects.toThrow('abort')
  await waitFor('stored')

  expect(await (await call('downloads/1', ada)).text()).toBe('Hello')
  expect(await readdir(UPLOADS)).toHaveLength(count + 1)
})

it('a signed URL takes one type and size, and is the one that AWS shows', async () => {
  const storage = await listen(createServer(checkSignature))
  const { call, ada } = await start(`process.env.S3_URL = '${storage}'`, signing, uploads)
  const ask = (data: object, token?: string) =>
    call('uploads', token, {
      method: 'POST',
      body: JSON.stringify(data),
      headers: { 'Content-Type': 'application/json' }
    })

  expect((await ask({ type: 'image/png', bytes: 5 })).status).toBe(401)
  expect((await ask({ type: 'image/png', bytes: 5e9 }, ada)).status).toBe(400)

  const { url, headers } = (await (await ask({ type: 'image/png', bytes: 5 }, ada)).json()) as any
  const put = async (body: string, type: object) =>
    (await fetch(url, { method: 'PUT', body, headers: { ...headers, ...type } })).status

  expect(await put('Hello', {})).toBe(200)
  expect(await put('Hello!', {})).toBe(403)
  expect(await put('Hello', { 'content-type': 'text/html' })).toBe(403)

  const shown = "signUrl('GET', 'test.txt', { seconds: 86400, now: new Date('2013-05-24T00:00:00Z') })"

  expect((await runToEnd(`${signing}\nconsole.log(${shown})`, S3))[0]).toMatch(
    /X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404$/
  )
})
