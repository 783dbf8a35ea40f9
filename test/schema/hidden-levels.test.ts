// What a schema hides that holds itself: the same fields on each level.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { Type } from 'typebox'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { errorHandler, koa, rest } from '../../src/koa.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { socketio } from '../../src/socketio.ts'
import { serve } from '../support/server.ts'
import { connectSocket, next } from '../support/sockets.ts'

const Zod = z.object({
  id: z.int(),
  name: z.string(),
  pin: z.string(),
  get children() {
    return z.array(Zod).optional()
  },
  get parent() {
    return Zod.nullish()
  },
  get named() {
    return z.record(z.string(), Zod).optional()
  }
}) as any

const ValibotNode: any = v.object({
  id: v.number(),
  name: v.string(),
  pin: v.string(),
  children: v.optional(v.array(v.lazy(() => ValibotNode))),
  parent: v.nullish(v.lazy(() => ValibotNode)),
  named: v.optional(
    v.record(
      v.string(),
      v.lazy(() => ValibotNode)
    )
  )
})
const Valibot = toStandardJsonSchema(ValibotNode) as any

const Ark = type({
  id: 'number',
  name: 'string',
  pin: 'string',
  'children?': 'this[]',
  'parent?': 'this | null',
  'named?': { '[string]': 'this' }
}) as any

const toNode = (self: object, further: object = {}) => ({
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    pin: { type: 'string' },
    children: { type: 'array', items: self },
    parent: { anyOf: [self, { type: 'null' }] },
    named: { type: 'object', additionalProperties: self }
  },
  ...further
})

const node = { id: 1, name: 'b', pin: 'PIN', children: [{ id: 2, name: 'c', pin: 'PIN' }] }
const tree = {
  name: 'a',
  pin: 'PIN',
  children: [node],
  parent: { ...node, parent: node },
  named: { x: node }
}
const shownNode = { id: 1, name: 'b', children: [{ id: 2, name: 'c' }] }
const shown = {
  id: 0,
  name: 'a',
  children: [shownNode],
  parent: { ...shownNode, parent: shownNode },
  named: { x: shownNode }
}

const LIBRARIES: [string, any][] = [
  ['Zod', Zod],
  ['Valibot', Valibot],
  ['ArkType', Ark],
  [
    'TypeBox',
    Type.Cyclic(
      {
        Node: Type.Object({
          id: Type.Integer(),
          name: Type.String(),
          pin: Type.String(),
          children: Type.Optional(Type.Array(Type.Ref('Node'))),
          parent: Type.Optional(Type.Union([Type.Ref('Node'), Type.Null()])),
          named: Type.Optional(Type.Record(Type.String(), Type.Ref('Node')))
        })
      },
      'Node'
    )
  ],
  ['JSON Schema, by #', toNode({ $ref: '#' })],
  [
    'JSON Schema, by a definition',
    toNode({ $ref: '#/$defs/Node' }, { $defs: { Node: toNode({ $ref: '#/$defs/Node' }) } })
  ],
  ['JSON Schema, by allOf', toNode({ allOf: [{ $ref: '#' }], description: 'a node' })],
  ['JSON Schema of 2019-09', toNode({ $recursiveRef: '#' }, { $recursiveAnchor: true })],
  ['JSON Schema of 2020-12', toNode({ $dynamicRef: '#node' }, { $dynamicAnchor: 'node' })]
]

async function open(record: any, settings: object) {
  const app: any = koa(alula())

  app.use(errorHandler())
  app.configure(rest({ logger: false }))
  app.configure(socketio({ logger: false }))
  app.use('nodes', memory(), {
    schema: schema({ record, create: {}, patch: {}, update: {}, ...settings } as any)
  })
  app.on('connection', (connection: any) => app.channel('all').join(connection))
  app.publish(() => app.channel('all'))

  return { app, url: await serve(app) }
}

it.each(LIBRARIES)('is in no response and no event, and cannot be queried: %s', async (_, record) => {
  const { app, url } = await open(record, { hidden: ['pin'] })
  const socket = await connectSocket(url)
  const created = next(socket, 'nodes created')

  await app.service('nodes').create(tree)
  expect(await created).toEqual(shown)
  expect(await (await fetch(`${url}/nodes`)).json()).toEqual([shown])

  for (const query of [
    'pin=PIN',
    'parent.pin=PIN',
    'children.pin=PIN',
    '$sort[parent.pin]=1',
    'parent=x',
    'parent.parent=null',
    'parent.parent.pin=PIN',
    'children=x',
    '$sort[children]=1'
  ]) {
    const response = await fetch(`${url}/nodes?${query}`)

    expect([query, response.status]).toEqual([query, 400])
  }
  expect((await fetch(`${url}/nodes?parent.name=b`)).status).toBe(200)
})

it('begins where its path leads to', async () => {
  const { app, url } = await open(Zod, { hidden: ['children.pin'] })

  await app.service('nodes').create({ name: 'a', pin: 'shown', children: [node], parent: node })

  expect(await (await fetch(`${url}/nodes/0`)).json()).toEqual({
    id: 0,
    name: 'a',
    pin: 'shown',
    children: [shownNode],
    parent: shownNode
  })
})

it('is hidden in a part of a record that holds itself', async () => {
  const { app, url } = await open(z.object({ id: z.int(), tree: Zod, other: z.string() }), {
    hidden: ['tree.pin']
  })

  await app.service('nodes').create({ tree: { ...tree, id: 0 }, other: 'x' })

  expect(await (await fetch(`${url}/nodes/0`)).json()).toEqual({ id: 0, tree: shown, other: 'x' })
  expect((await fetch(`${url}/nodes?tree.parent.pin=PIN`)).status).toBe(400)
  expect((await fetch(`${url}/nodes?tree.name=a&other=x`)).status).toBe(200)
})

it('is not in the other places of a schema that does not hold itself', async () => {
  const Address = { type: 'object', properties: { city: { type: 'string' }, code: { type: 'string' } } }
  const { app, url } = await open(
    {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        home: { $ref: '#/$defs/Address' },
        work: { $ref: '#/$defs/Address' }
      },
      $defs: { Address }
    },
    { hidden: ['home.code'] }
  )
  const address = { city: 'Rome', code: '1' }

  await app.service('nodes').create({ home: address, work: address })

  expect(await (await fetch(`${url}/nodes/0`)).json()).toEqual({
    id: 0,
    home: { city: 'Rome' },
    work: address
  })
  expect((await fetch(`${url}/nodes?work.code=1`)).status).toBe(200)
})
