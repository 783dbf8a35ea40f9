import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { MemoryService } from '../../src/memory.ts'
import { type Envelope, schema } from '../../src/schema.ts'
import { handleSocket, toDeliveries } from '../../src/transport/socket.ts'
import { scaled } from '../support/scale.ts'

/** Stands in everything that must not leave. */
const SECRET = 'sentinel-4711'

/** A declared field: what it may hold, whether it is hidden, and those within. */
interface Shape {
  readonly kind: 'string' | 'object' | 'list' | 'any'
  readonly isHidden: boolean
  readonly fields: { readonly [name: string]: Shape }
}

const names = fc.constantFrom('a', 'b', 'c', 'length', 'then', 'data', 'total')

const { shape } = fc.letrec<{ shape: Shape; fields: Shape['fields'] }>((tie) => ({
  shape: fc.record({
    kind: fc.constantFrom('string', 'string', 'object', 'list', 'any'),
    isHidden: fc.boolean(),
    fields: fc.oneof({ maxDepth: 3 }, fc.constant({}), tie('fields'))
  }) as fc.Arbitrary<Shape>,
  fields: fc.dictionary(names, tie('shape'), { maxKeys: 4 })
}))

const fields = fc.dictionary(names, shape, { minKeys: 1, maxKeys: 4 })

/** Names of fields, also those that records, lists and pages have. */
const envelopes = fc.option(
  fc
    .shuffledSubarray(['a', 'data', 'length', 'then', 'limit'], { minLength: 3 })
    .chain(([one, many, total]) =>
      fc.record({
        one: fc.constant(one),
        many: fc.constant(many),
        total: fc.constant(total),
        request: fc.boolean()
      })
    ),
  { nil: undefined }
) as fc.Arbitrary<Envelope | undefined>

function toSchema({ kind, fields: inner }: Shape): object {
  if (kind === 'any') return {}
  if (kind === 'string') return { type: ['string', 'null'] }

  const object = {
    type: 'object',
    properties: Object.fromEntries(Object.entries(inner).map(([name, field]) => [name, toSchema(field)]))
  }

  return kind === 'object' ? object : { type: 'array', items: object }
}

function listHidden(shapes: Shape['fields'], prefix = ''): string[] {
  return Object.entries(shapes).flatMap(([name, { kind, isHidden, fields: inner }]) =>
    isHidden
      ? [prefix + name]
      : kind === 'object' || kind === 'list'
        ? listHidden(inner, `${prefix}${name}.`)
        : []
  )
}

/** A value of a shape, with a sentinel wherever the shape hides something or says nothing. */
function toValue({ kind, isHidden, fields: inner }: Shape): unknown {
  if (isHidden) return kind === 'string' ? SECRET : { deep: [SECRET] }
  if (kind === 'string' || kind === 'any') return 'shown'

  const object = toRecord(inner)

  return kind === 'object' ? object : [object, object]
}

function toRecord(shapes: Shape['fields']): object {
  return {
    ...Object.fromEntries(Object.entries(shapes).map(([name, field]) => [name, toValue(field)])),
    undeclared: { deep: SECRET },
    [`x-${SECRET}`]: 1
  }
}

/** A store that keeps what no schema allows, as a table with further columns does. */
class Records extends MemoryService {
  stored = {}

  override async create(): Promise<any> {
    return { ...this.stored, id: 1 }
  }

  app: any

  async nested() {
    return { one: await this.app.service('records').get(0), list: await this.app.service('records').find() }
  }
}

describe('hidden and undeclared fields', () => {
  it('of random schemas are in no byte of responses, events, errors and log lines', async () => {
    await fc.assert(
      fc.asyncProperty(fields, envelopes, async (shapes, envelope) => {
        const left = await collect(shapes, envelope)

        expect(left.length).toBeGreaterThan(20)
        for (const text of left) expect(text).not.toContain(SECRET)
      }),
      { numRuns: scaled(2000) }
    )
  })
})

/** Everything that leaves: responses over HTTP and a socket, events, lines of the log. */
async function collect(shapes: Shape['fields'], envelope?: Envelope): Promise<string[]> {
  const left: string[] = []
  const log = (...values: unknown[]) => void left.push(values.map(String).join(' '))
  const stored = toRecord(shapes)
  const service = new Records({ multi: true, store: { 0: { ...stored, id: 0 } }, paginate: { default: 5 } })
  const app: any = alula()
  const properties = Object.fromEntries(
    Object.entries(shapes).map(([name, field]) => [name, toSchema(field)])
  )

  Object.assign(service, { stored, app })
  app.set('env', 'production')
  app.on('error', () => undefined)
  app.use('records', service, {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'nested'],
    schema: schema(
      { type: 'object', properties: { id: { type: 'integer' }, ...properties } },
      { hidden: listHidden(shapes), ...(envelope && { envelope }) }
    )
  })
  app.use(
    'others',
    {
      find: async () => [{ id: 1, record: await app.service('records').get(0), note: 'x' }]
    },
    {
      schema: schema({
        type: 'object',
        properties: { id: { type: 'integer' }, note: { type: 'string' }, record: {} }
      })
    }
  )
  app.service('records').publish(() => app.channel('all'))
  app.channel('all').join({})
  app.on('publish', (event: string, channel: any, context: any, data: unknown) => {
    for (const { payload } of toDeliveries(event, channel, context, data)) left.push(JSON.stringify(payload))
  })
  await app.setup()

  const handle = createHandler(app, { logger: { error: log, warn: log, info: log } as any })
  const send = async (method: string, path: string, body?: object, headers: object = {}) => {
    const response = await handle(
      new Request(`http://localhost/${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', Origin: 'http://localhost', ...headers },
        ...(body && { body: JSON.stringify(body) })
      })
    )

    left.push(JSON.stringify([...response.headers]), await response.text())
  }

  for (const [method, path, body] of [
    ['GET', 'records'],
    ['GET', 'records/0'],
    ['GET', 'records/9'],
    ['GET', 'others'],
    ['POST', 'records', {}],
    ['PATCH', 'records/0', {}],
    ['PATCH', 'records', {}],
    ['POST', 'records/nested', {}],
    ['POST', 'records', { unknown: SECRET, id: SECRET, a: [SECRET], b: { c: SECRET } }],
    ['GET', `records?unknown=${SECRET}&id=${SECRET}&a[$gt]=${SECRET}`]
  ] as const) {
    await send(method, path, body)
    if (body && envelope?.request) await send(method, path, wrap(body, envelope))
  }
  for (const message of [
    ['find', {}],
    ['get', 0, {}],
    ['create', {}, {}],
    ['create', wrap({}, envelope), {}],
    ['patch', 0, wrap({}, envelope), {}],
    ['patch', 0, wrap({ unknown: SECRET }, envelope), {}],
    ['patch', 0, { unknown: SECRET }, {}],
    ['nested', {}, {}],
    ['find', { id: SECRET }]
  ]) {
    const [method, ...args] = message as [string, ...unknown[]]
    const reply = await handleSocket(
      app,
      { method, path: 'records', args, connection: { provider: 'socketio' } as any },
      log
    )

    left.push(JSON.stringify(reply))
  }
  await app.service('records').create({})
  await app.service('records').patch(0, {})
  await app.service('records').patch(null, {}, { schema: false })
  app.service('records').emit('updated', { ...stored, id: 0 })
  await app.service('records').remove(0)

  return left
}

function wrap(data: object, { one = '', request }: Envelope = {}): object {
  return request ? { [one]: data } : data
}

describe('what a schema says otherwise than by properties', () => {
  const node = {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: 'Node' } } }
  }
  const toRoot = (properties: object, others: object = {}) => ({
    type: 'object',
    properties: { id: { type: 'integer' }, ...properties },
    ...others
  })
  const inner = { type: 'object', properties: { name: { type: 'string' } } }
  const children = [{ name: 'a', secret: SECRET, children: [{ name: 'b', secret: SECRET, children: [] }] }]
  const shownChildren = [{ name: 'a', children: [{ name: 'b', children: [] }] }]

  async function show(declared: any, stored: object): Promise<any> {
    const records = new Records({})
    const app = alula()

    records.stored = stored
    app.on('error', () => undefined)
    app.use('notes', records, { schema: declared })

    const response = await createHandler(app)(
      new Request('http://localhost/notes', {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' }
      })
    )

    return await response.json()
  }

  it.each([
    ['its own id', { ...toRoot(node.properties), $id: 'Node' }, { children }, { children: shownChildren }],
    [
      'its own id with an empty fragment',
      toRoot(
        { child: { $ref: 'https://example.com/node#' } },
        { $defs: { n: { ...inner, $id: 'https://example.com/node#' } } }
      ),
      { child: { name: 'a', secret: SECRET } },
      { child: { name: 'a' } }
    ],
    [
      'an id in definitions',
      toRoot(
        { children: { type: 'array', items: { $ref: 'Node' } } },
        { $defs: { Any: { ...node, $id: 'Node' } } }
      ),
      { children },
      { children: shownChildren }
    ],
    [
      'an id relative to another',
      toRoot(
        { child: { $ref: 'node' } },
        { $id: 'https://example.com/root', $defs: { n: { ...inner, $id: '/node' } } }
      ),
      { child: { name: 'a', secret: SECRET } },
      { child: { name: 'a' } }
    ],
    [
      'an anchor',
      toRoot(
        { child: { $ref: '#node' } },
        {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $defs: { n: { ...inner, $anchor: 'node' } }
        }
      ),
      { child: { name: 'a', secret: SECRET } },
      { child: { name: 'a' } }
    ],
    [
      'a pattern',
      toRoot({ byName: { type: 'object', patternProperties: { '^x': inner } } }),
      { byName: { x1: { name: 'a', secret: SECRET }, [`y${SECRET}`]: 1, y2: { secret: SECRET } } },
      { byName: { x1: { name: 'a' } } }
    ],
    [
      'a pattern beside properties',
      toRoot({ byName: { ...inner, patternProperties: { '^x': inner } } }),
      { byName: { name: 'a', x1: { name: 'a', secret: SECRET }, secret: SECRET } },
      { byName: { name: 'a', x1: { name: 'a' } } }
    ]
  ])('leaves no more than %s names', async (_, record, stored, shown) => {
    expect(await show(schema({ record, create: inner, patch: inner } as any), stored)).toEqual({
      id: 1,
      ...shown
    })
  })

  it('leaves no more of what an instance of Ajv has under a name', async () => {
    const ajv = new Ajv()

    ajv.addSchema({ ...node, $id: 'Node' })

    const record = toRoot({ root: { $ref: 'Node' } })
    const declared = schema({ record, create: inner, patch: inner, ajv } as any)

    expect(await show(declared, { root: { name: 'r', secret: SECRET, children } })).toEqual({
      id: 1,
      root: { name: 'r', children: shownChildren }
    })
  })

  it('refuses fields that no reference leads to', async () => {
    const app = alula()

    app.use('notes', new MemoryService({}), {
      schema: schema({ ...toRoot(node.properties), $id: 'Node' } as any)
    })

    await expect(
      app.service('notes').create({ children: [{ children: [{ evil: 1 }] }] }, { provider: 'rest' })
    ).rejects.toMatchObject({ code: 400, errors: { 'children.0.children.0.evil': 'is not a known field' } })
  })

  it.each([
    ['an open object', { type: 'object', properties: {}, additionalProperties: true }],
    ['an object without properties', { type: 'object' }],
    ['an object with values of one kind', { type: 'object', additionalProperties: { type: 'object' } }],
    ['an object with patterns', { type: 'object', patternProperties: { '^a': { type: 'object' } } }]
  ])('hides a field below a name that %s does not declare', async (_, meta) => {
    const record = toRoot({ meta })
    const declared = schema({ record, create: inner, patch: inner, hidden: ['meta.a.secret'] } as any)

    expect(await show(declared, { meta: { a: { secret: SECRET, b: 1 } } })).toEqual({
      id: 1,
      meta: { a: { b: 1 } }
    })
  })

  it('hides a field in a list of anything', async () => {
    const record = toRoot({ list: { type: 'array' } })
    const declared = schema({ record, create: inner, patch: inner, hidden: ['list.secret'] } as any)

    expect(await show(declared, { list: [{ secret: SECRET, b: 1 }] })).toEqual({ id: 1, list: [{ b: 1 }] })
  })

  it.each([
    ['declared', inner],
    ['not described', {}]
  ])('hides a field of a record of another service where it is %s', async (_, owner) => {
    const app = alula()
    const record = toRoot({ owner })

    app.use('users', new MemoryService({ multi: true }), { schema: schema(toRoot(inner.properties) as any) })
    app.use('notes', new MemoryService({}), {
      schema: schema({ record, create: inner, patch: inner, hidden: ['owner.name'] } as any)
    })

    const user = await app.service('users').create({ name: SECRET })

    app.service('notes').hooks({
      after: {
        create: [
          async (context: any) => {
            context.result = { id: 1, owner: user }
          }
        ]
      }
    })

    const response = await createHandler(app)(
      new Request('http://localhost/notes', {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' }
      })
    )

    expect(await response.json()).toEqual({ id: 1, owner: { id: 0 } })
  })
})
