import { expect, it } from 'vitest'
import { Forbidden, NotAuthenticated, PreconditionFailed } from '../../src/errors.ts'
import { memory } from '../../src/memory.ts'
import { describeHttpTransports, type OpenTransport } from '../support/transports.ts'

const BODY = { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: '{"a":2}' }

async function openRecords(
  open: OpenTransport,
  options?: any,
  configure: (service: any) => void = () => undefined
) {
  const client = await open((app: any) => {
    app.use('things', memory({ multi: true, startId: 1 }), options)
    void app.service('things').create([{ a: 1 }, { a: 1 }])
    configure(app.service('things'))
  })
  const ask = async (path: string, { headers, ...init }: RequestInit = {}) => {
    const response = await client.request(path, {
      ...init,
      headers: { 'Cache-Control': 'max-age=0', ...(headers as object) }
    })
    const text = await response.text()

    return {
      status: response.status,
      etag: response.headers.get('etag'),
      body: text === '' ? '' : JSON.parse(text)
    }
  }
  const patch = (tag: string, path = '/things/1', init: RequestInit = {}) =>
    ask(path, { ...BODY, ...init, headers: { ...BODY.headers, 'If-Match': tag } })

  return { ask, patch }
}

describeHttpTransports('If-Match', (open) => {
  it('reads the record by what the server has put into the query, instances included', async () => {
    class Owner {
      readonly #id = 1

      get id(): number {
        return this.#id
      }
    }

    const owner = new Owner()
    const query = { owner, isOwn: () => true }
    const { request } = await open(
      (app: any) => {
        app.use('things', {
          get: async (id: string, params: any) => ({ id, owner: params.query.owner.id }),
          patch: async (id: string, data: object, params: any) => ({
            id,
            ...data,
            owner: params.query.owner.id
          })
        })
      },
      { params: () => ({ query }) }
    )
    const etag = String((await request('/things/1')).headers.get('etag'))
    const response = await request('/things/1', {
      ...BODY,
      headers: { ...BODY.headers, 'If-Match': etag }
    })

    expect(await response.json()).toEqual({ id: '1', a: 2, owner: 1 })
  })

  it('lets a change pass while the tag is that of the record', async () => {
    const { ask, patch } = await openRecords(open)
    const { etag } = await ask('/things/1')

    expect(await patch(String(etag))).toMatchObject({ status: 200, body: { a: 2 } })

    const changed = await ask('/things/1')

    expect(await patch(String(etag))).toEqual({
      status: 412,
      etag: changed.etag,
      body: {
        name: 'PreconditionFailed',
        message: "The record has changed: its tag is not the one in 'If-Match'",
        code: 412,
        className: 'precondition-failed',
        data: { etag: changed.etag }
      }
    })
    expect(await patch(`"x", ${changed.etag}`)).toMatchObject({ status: 200 })
  })

  it.each(['PUT', 'PATCH', 'DELETE'])('counts for %s', async (method) => {
    const { ask, patch } = await openRecords(open)
    const { etag } = await ask('/things/1')

    expect((await patch('"x"', '/things/1', { method })).status).toBe(412)
    expect((await ask('/things/1')).body).toEqual({ id: 1, a: 1 })
    expect((await patch(String(etag), '/things/1', { method })).status).toBe(200)
  })

  it.each(['x', '', '"x"', 'W/', ',', '""', '"*"', '**'])('that is %j fits no record', async (tag) => {
    const { ask, patch } = await openRecords(open)

    expect((await patch(tag)).status).toBe(412)
    expect((await ask('/things/1')).body).toEqual({ id: 1, a: 1 })
  })

  it('without the mark of weak tags is another string', async () => {
    const { ask, patch } = await openRecords(open)
    const { etag } = await ask('/things/1')

    expect((await patch(String(etag).replace('W/', ''))).status).toBe(412)
  })

  it('that is * asks for a record', async () => {
    const { patch } = await openRecords(open)

    expect((await patch('*')).status).toBe(200)
    expect(await patch('*', '/things/9')).toMatchObject({
      status: 412,
      etag: null,
      body: { message: 'There is no such record' }
    })
    expect((await patch('"x"', '/things/9')).status).toBe(412)
  })

  it('is a 412 where clients cannot get records, unless it is *', async () => {
    const { patch } = await openRecords(open, { methods: ['find', 'patch'] })

    expect(await patch('"x"')).toMatchObject({
      status: 412,
      body: { message: "The record has no tag to compare with 'If-Match': the service has no method 'get'" }
    })
    expect((await patch('*')).status).toBe(200)
  })

  it.each(['PUT', 'PATCH', 'DELETE'])('is a 400 for %s of several records', async (method) => {
    const { ask, patch } = await openRecords(open)

    expect((await patch('*', '/things', { method })).status).toBe(400)
    expect((await ask('/things')).body).toHaveLength(2)
  })

  it.each([undefined, () => 1])(
    'is a 400 for methods with routes, with the singleton %s',
    async (singleton) => {
      const released: unknown[] = []
      const record = async () => ({ id: 'all' })
      const client = await open((app) => {
        app.use(
          'things',
          { get: record, update: record, remove: record, release: async () => released.push(1) },
          {
            methods: ['get', 'update', 'remove', 'release'],
            routes: { 'PUT /all': 'release', 'DELETE /all': 'release' },
            ...(singleton && { singleton })
          }
        )
      })

      for (const method of ['PUT', 'DELETE']) {
        const init = { ...BODY, method, headers: { ...BODY.headers, 'If-Match': '*' } }

        expect((await client.request('/things/all', init)).status).toBe(400)
      }

      expect(released).toEqual([])
    }
  )

  it('says nothing about GET, and nothing about POST', async () => {
    const { ask } = await openRecords(open)
    const headers = { 'If-Match': '"x"' }

    expect((await ask('/things/1', { headers })).status).toBe(200)
    expect((await ask('/things', { method: 'POST', headers })).status).toBe(201)
  })

  it('lets one of 50 changes at once pass, and the others see its tag', async () => {
    const { ask, patch } = await openRecords(open)
    const { etag } = await ask('/things/1')
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        patch(String(etag), n % 2 ? '/things/1' : '/things/%31', { body: `{"a":${n + 10}}` })
      )
    )
    const won = responses.filter(({ status }) => status === 200)
    const current = await ask('/things/1')

    expect(won).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 412)).toHaveLength(49)
    expect(current.body).toEqual(won[0]?.body)
    expect(
      new Set(responses.filter(({ status }) => status === 412).map((response) => response.etag))
    ).toEqual(new Set([current.etag]))
  })

  it('does not keep the change of another record waiting', async () => {
    let release: (value?: unknown) => void = () => undefined
    const held = new Promise((resolve) => {
      release = resolve
    })
    const { patch } = await openRecords(open, undefined, (service) =>
      service.hooks({ before: { patch: [async ({ id }: any) => void (String(id) === '1' && (await held))] } })
    )
    const first = patch('*')

    expect((await patch('*', '/things/2')).status).toBe(200)
    release()
    expect((await first).status).toBe(200)
  })

  it('calls get as the client, and only where it is there', async () => {
    const calls: any[] = []
    const { ask, patch } = await openRecords(open, undefined, (service) =>
      service.hooks({
        before: {
          get: [
            ({ params, id }: any) => {
              calls.push([id, params.provider, params.headers['x-key'], params.query])
              if (params.headers['x-key'] === 'none') throw new NotAuthenticated('Who?')
              if (params.headers['x-key'] === 'other') throw new Forbidden('Not yours')
            }
          ],
          patch: [
            ({ params }: any) => {
              params.query.a = 1
            }
          ]
        }
      })
    )
    const withKey = (key: string) =>
      ask('/things/1?a=1', { ...BODY, headers: { ...BODY.headers, 'If-Match': '*', 'X-Key': key } })

    expect((await ask('/things/1', BODY)).status).toBe(200)
    expect(calls).toEqual([])
    expect((await withKey('none')).status).toBe(401)
    expect((await withKey('other')).status).toBe(403)
    await patch('*')
    expect(calls).toEqual([
      ['1', 'rest', 'none', { a: '1' }],
      ['1', 'rest', 'other', { a: '1' }],
      ['1', 'rest', undefined, {}]
    ])
  })

  it('compares with the tag that a hook sets', async () => {
    const { ask, patch } = await openRecords(open, undefined, (service) =>
      service.hooks({
        after: {
          get: [
            (context: any) => {
              context.http = { headers: { etag: `"version ${context.result.a}"` } }
            }
          ]
        }
      })
    )

    expect((await ask('/things/1')).etag).toBe('"version 1"')
    expect((await patch('"version 2"')).status).toBe(412)
    expect((await patch('"x","version 1"')).status).toBe(200)
  })

  it('is not fooled by the tag of an error that a service throws', async () => {
    const { ask } = await openRecords(open, undefined, (service) =>
      service.hooks({
        before: {
          find: [
            ({ params: { query } }: any) => {
              throw new PreconditionFailed('No', { etag: query.etag })
            }
          ]
        }
      })
    )

    expect((await ask('/things?etag=%22a%22')).etag).toBe('"a"')
    for (const etag of ['"a"%0D%0AX-Evil:1', '%E2%82%AC', 'a', '"a"b"', '', '"%00"']) {
      expect(await ask(`/things?etag=${etag}`)).toMatchObject({ status: 412, etag: null })
    }
  })
})
