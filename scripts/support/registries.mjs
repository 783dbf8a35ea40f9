// Random applications, each with the calls of a generated client that compile and those that must not.
import { alula } from 'alula'
import { access, anyone, owner, role, user } from 'alula/access'
import { AuthenticationService, JWTStrategy, protect } from 'alula/authentication'
import { MemoryService, memory } from 'alula/memory'
import { count, many, one, schema } from 'alula/schema'
import fc from 'fast-check'
import { z } from 'zod'
import { toCall } from './client-code.mjs'

const PATHS = [
  ...['notes', 'note', 'categories', 'note-tags', 'status', 'errors', 'admin/things', 'users/:userId/boxes'],
  ...['v2.items', 'class', 'boxes', 'a/b/c']
]
const NAMES = [
  'text',
  'done',
  'type',
  'class',
  'data',
  'total',
  'length',
  'a-b',
  'default',
  'größe',
  'a b',
  'code'
]
const METHODS = ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive', 'favorite']
const RULES = { anyone, user, owner: owner('ownerId'), admin: role('admin'), own: () => true }
const OPERATORS = ['$ne', '$gt', '$lte', '$in']

/** Who calls. All rules admit this user. */
const CALLER = { id: 3, role: 'admin' }

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree).optional()
  }
})

/**
 * What a field may hold: as Zod and as JSON Schema say it, the type of it in TypeScript, two values, a value of another
 * type, and the operators that compare it.
 */
const KINDS = {
  string: [z.string(), { type: 'string' }, 'string', ['Ab 1', '7'], 7, OPERATORS],
  integer: [z.int32(), { type: 'integer' }, 'number', [7, 0], 'x', OPERATORS],
  number: [z.number(), { type: 'number' }, 'number', [-0.5, 3], 'x', OPERATORS],
  boolean: [z.boolean(), { type: 'boolean' }, 'boolean', [true, false], 'x', OPERATORS],
  date: [
    ...[z.iso.datetime(), { type: 'string', format: 'date-time' }, 'string'],
    ...[['2026-11-22T10:00:00Z', '1969-07-20T20:17:40Z'], 7, OPERATORS]
  ],
  choice: [
    ...[z.enum(['idea', 'task']), { enum: ['idea', 'task'] }, "'idea' | 'task'"],
    ...[['idea', 'task'], 'other', ['$ne', '$in']]
  ],
  list: [z.array(z.string()), { type: 'array', items: { type: 'string' } }, 'string[]', [['a'], []], [7], []],
  object: [
    z.object({ city: z.string(), zip: z.string().optional() }),
    {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' }, zip: { type: 'string' } }
    },
    '{ city: string; zip?: string }',
    [{ city: 'Rome' }, { city: 'Oslo', zip: '0150' }],
    { city: 7 },
    []
  ],
  constant: [z.literal('x'), { const: 'x' }, "'x'", ['x', 'x'], 'y', []],
  union: [
    ...[z.union([z.string(), z.int32()]), { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
    ...['string | number', ['a', 7], [7], []]
  ],
  map: [
    ...[z.record(z.string(), z.number()), { type: 'object', additionalProperties: { type: 'number' } }],
    ...['{ [key: string]: number }', [{}, { a: 1 }], { a: 'x' }, []]
  ],
  objects: [
    z.array(z.object({ size: z.int32() })),
    {
      type: 'array',
      items: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } }
    },
    '{ size: number }[]',
    [[], [{ size: 1 }]],
    [{ size: 'x' }],
    []
  ],
  tree: [
    Tree,
    { $ref: '#/$defs/Tree' },
    '{ name: string }',
    [{ name: 'a' }, { name: 'b', children: [{ name: 'c' }] }],
    { name: 7 },
    []
  ]
}

/** Kinds that a client compares, and kinds that it cannot. */
const COMPARED = ['string', 'integer', 'number', 'boolean', 'date', 'choice']
const UNCOMPARED = ['list', 'object', 'map', 'objects', 'tree']

const fields = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.record({
    kind: fc.constantFrom(...Object.keys(KINDS)),
    form: fc.constantFrom('required', 'optional', 'nullable', 'default'),
    isHidden: fc.nat(4).map((number) => number === 0),
    hidesZip: fc.boolean()
  }),
  { minKeys: 1, maxKeys: 6 }
)

const services = fc.record({
  /** Without fields a service has no schema. */
  fields: fc.option(fields, { freq: 6 }),
  isZod: fc.boolean(),
  methods: fc.subarray(METHODS, { minLength: 1 }),
  rules: fc.option(
    fc.tuple(...METHODS.map(() => fc.option(fc.constantFrom(...Object.keys(RULES)), { freq: 4 })))
  ),
  isPaged: fc.boolean(),
  isMulti: fc.boolean(),
  isComputed: fc.boolean(),
  operators: fc.option(fc.subarray(OPERATORS)),
  relation: fc.option(fc.constantFrom('one', 'many', 'count')),
  protects: fc.boolean(),
  isNamed: fc.boolean(),
  drops: fc.boolean(),
  keeps: fc.boolean(),
  /** Whether it is one record for each caller, if it has a method for that. */
  isSingle: fc.nat(3).map((number) => number === 0),
  /** Whether a placeholder of its path names a parent. */
  isNested: fc.boolean(),
  choice: fc.nat(1)
})

/** A single record has no methods for several, and no path for the field in place of its id. */
function toFitting([path, service]) {
  const ofOne = service.methods.filter((method) => !['find', 'create'].includes(method))
  const isSingle = service.isSingle && ofOne.length > 0
  const isNested = service.isNested && path.includes(':')

  return [
    path,
    {
      ...service,
      isSingle,
      isNested,
      methods: isSingle ? ofOne : service.methods,
      isNamed: service.isNamed && !isSingle
    }
  ]
}

/** Applications as plain data: services by path. */
export const registries = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...PATHS), services), {
    minLength: 1,
    maxLength: 3,
    selector: ([path]) => path
  })
  .map((all) => all.map(toFitting))

/**
 * Makes the application of a registry, with a few records.
 *
 * @param registry What `registries` made
 * @returns {Promise<{ app: any, user: object }>} The application, set up, and the user who calls
 */
export async function createRegistry(registry) {
  const app = alula()

  app.set('authentication', {
    secret: 'a secret that is long enough for the algorithm',
    service: 'callers',
    entity: 'user',
    authStrategies: ['jwt']
  })

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  app.use('authentication', authentication)
  app.use('callers', memory({ store: { 3: CALLER } }), { methods: [] })
  app.use('users', memory({ store: { 2: { id: 2 }, 3: CALLER } }), { methods: ['get'] })
  for (const [path, service] of registry) register(app, path, service, registry[0])
  await app.setup()

  for (const [path, { fields: declared, choice }] of registry) {
    for (const [position, index] of [choice, 1 - choice, choice].entries()) {
      await app.service(path)._create({
        ...toData(declared ?? {}, index),
        slug: `s${position + 1}`,
        ownerId: index === 0 ? 3 : 2,
        createdAt: MOMENT
      })
    }
  }

  return { app, user: CALLER }
}

const MOMENT = new Date(0)

class Records extends MemoryService {
  async archive(data) {
    return { count: String(data?.before).length }
  }

  async favorite(_data, { route }) {
    return { route: route.id }
  }
}

function register(app, path, service, [related, { fields: fieldsOfRelated, isNested }]) {
  const { methods, rules, isPaged, isMulti, protects } = service
  // The calls of a relation have no placeholder.
  const relatedFields = isNested ? undefined : fieldsOfRelated
  const named = METHODS.flatMap((method, index) => {
    const rule = RULES[toRule(method, rules?.[index])]

    return methods.includes(method) && rule ? [[method, rule]] : []
  })

  app.use(path, new Records({ startId: 1, multi: isMulti, ...(isPaged && { paginate: { default: 5 } }) }), {
    methods,
    ...(methods.includes('favorite') && { routes: { 'PUT /:id/favorite': 'favorite' } }),
    ...(rules && named.length > 0 && { access: access(Object.fromEntries(named)) }),
    ...(service.fields && { schema: declare(service, related, relatedFields) }),
    ...(service.fields && service.isNamed && { by: 'slug' }),
    ...(service.isNested && { parent: { ownerId: 'users' } }),
    ...(service.isSingle && { singleton: () => 1 })
  })
  if (protects) app.service(path).hooks({ after: { all: [protect('guarded')] } })
}

/** A custom method has no records to own. */
function toRule(method, name) {
  return name === 'owner' && ['archive', 'favorite'].includes(method) ? 'user' : name
}

function declare(
  { fields: declared, isZod, isComputed, operators, relation, methods, drops, keeps, isNested },
  related,
  relatedFields
) {
  const all = {
    id: { kind: 'integer', form: 'required' },
    ...declared,
    ownerId: { kind: 'integer', form: 'required' },
    slug: { kind: 'string', form: 'optional' },
    guarded: { kind: 'string', form: 'optional' }
  }
  const names = Object.keys(all)
  const toShape = (convert) => Object.fromEntries(names.map((name) => [name, convert(all[name])]))
  const record = isZod
    ? z.object({ ...toShape(toZod), createdAt: z.date() })
    : {
        type: 'object',
        properties: { ...toShape(toJsonSchema), createdAt: { type: 'string', format: 'date-time' } },
        required: [...names.filter((name) => ['required', 'nullable'].includes(all[name].form)), 'createdAt'],
        $defs: {
          Tree: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string' },
              children: { type: 'array', items: { $ref: '#/$defs/Tree' } }
            }
          }
        }
      }
  const relations = relatedFields && { one: one(related, { from: 'ownerId', filter: ['slug'] }) }
  const toMany = relatedFields && {
    many: many(related, { to: 'ownerId', filter: ['slug'] }),
    count: count(related, { to: 'ownerId' })
  }
  const own = { archive: { data: z.object({ before: z.string() }), result: z.object({ count: z.int32() }) } }

  return schema(record, {
    server: {
      ...(!isNested && { ownerId: ({ params }) => params.user?.id ?? 0 }),
      createdAt: () => MOMENT
    },
    hidden: listHidden(declared),
    ...(isComputed && {
      computed: { size: { from: ['ownerId'], many: (records) => records.map(({ ownerId }) => ownerId + 1) } }
    }),
    ...(operators && { query: { operators } }),
    ...(drops && { unknown: 'drop' }),
    ...(keeps && { extra: 'keep' }),
    ...(relation && relatedFields && { relations: { related: { ...relations, ...toMany }[relation] } }),
    ...(methods.includes('archive') && { methods: own })
  })
}

function toZod({ kind, form }) {
  const [type, , , [value]] = KINDS[kind]

  switch (form) {
    case 'optional':
      return type.optional()
    case 'nullable':
      return type.nullable()
    case 'default':
      return type.default(value)
    default:
      return type
  }
}

function toJsonSchema({ kind, form }) {
  const [, type, , [value]] = KINDS[kind]

  if (form === 'nullable') return { anyOf: [type, { type: 'null' }] }

  return form === 'default' ? { ...type, default: value } : type
}

function listHidden(declared) {
  return Object.keys(declared).flatMap((name) => {
    const { kind, isHidden, hidesZip } = declared[name]

    return isHidden ? [name] : kind === 'object' && hidesZip ? [`${name}.zip`] : []
  })
}

/** Data that is valid: the values with this index. */
function toData(declared, index) {
  return Object.fromEntries(Object.entries(declared).map(([name, { kind }]) => [name, KINDS[kind][3][index]]))
}

/**
 * What a generated client can do with a registry, and what it must not.
 *
 * @param registry What `registries` made
 * @returns {{ calls: readonly { code: string, path: string, method: string, args: readonly unknown[] }[], types: readonly string[], mistakes: readonly string[] }}
 */
export function describeClient(registry) {
  const parts = registry.flatMap(([path, service]) => {
    // A client that was made for one path can be made for another: what is tried here has no placeholders of its own.
    return path.includes(':') ? [] : [describeService(path, service, registry)]
  })
  const all = (name) => parts.flatMap((part) => part[name])

  return { calls: all('calls'), types: all('types'), mistakes: all('mistakes') }
}

function describeService(path, service, registry) {
  const { fields: declared, choice, isSingle } = service
  const url = JSON.stringify(`/${path}`)
  const [key, id] = service.isNamed && declared ? ['slug', 's1'] : ['id', declared ? 1 : '1']
  const ofRecord = isSingle ? url : toUrl(path, `{${key}}`)
  const ofFirst = isSingle ? 'params: {}' : `params: { path: ${toCode({ [key]: id })} }`
  const called = isSingle ? null : id
  const byId = `{ ${ofFirst} }`
  const isOpen = (method) => hasOpen(service, method)
  const calls = []
  const types = []
  const mistakes = METHODS.filter((method) => !isOpen(method) && !(isSingle && method === 'find')).map(
    (method) => toClosed(path, method, isSingle)
  )

  if (isOpen('find')) {
    const query = toQuery(service, registry)

    calls.push(
      toCall(`client.GET(${url}, { params: { query: ${toCode(query.sent)} } })`, path, 'find', {
        query: query.meant
      })
    )
    mistakes.push(`client.GET(${url}, { params: { query: { nowhere: 1 } } })`)
    if (declared) mistakes.push(...toWrongQueries(url, service))
  }
  if (isOpen('get')) {
    calls.push(toCall(`client.GET(${ofRecord}, ${byId})`, path, 'get', called))
  }
  if (!declared) return { calls, types, mistakes }

  const data = toData(declared, choice)
  const shown = toShown(service)

  if (isOpen('get')) {
    for (const [name, type] of shown) {
      types.push(`const value: ${type} = (await client.GET(${ofRecord}, ${byId})).data!${toAccess(name)}`)
    }
    for (const name of [...listHidden(declared), 'undeclared']) {
      const access = name.split('.').map(toAccess).join('!')

      mistakes.push(`client.GET(${ofRecord}, ${byId}).then(({ data }) => data!${access})`)
    }
  }
  if (isOpen('create')) {
    const [first] = Object.entries(declared)
    const required = Object.keys(declared).filter((name) =>
      ['required', 'nullable'].includes(declared[name].form)
    )

    calls.push(toCall(`client.POST(${url}, { body: ${toCode(data)} })`, path, 'create', data))
    if (service.isMulti) {
      calls.push(toCall(`client.POST(${url}, { body: [${toCode(data)}] })`, path, 'create', [data]))
    }
    mistakes.push(
      `client.POST(${url}, { body: ${toCode({ ...data, [first[0]]: KINDS[first[1].kind][4] })} })`,
      // The body of a call may have more: what is given is the type of a parameter then.
      `${toCode({ ...data, ownerId: 3 })} satisfies paths[${url}]['post']['requestBody']['content']['application/json']`,
      `client.POST(${url})`
    )
    if (required.length > 0) {
      mistakes.push(`client.POST(${url}, { body: ${toCode({ ...data, [required[0]]: undefined })} })`)
    }
    // A list has a length.
    if (!service.isMulti && required.some((name) => name !== 'length')) {
      mistakes.push(`client.POST(${url}, { body: [${toCode(data)}] })`)
    }
  }
  if (isOpen('patch')) {
    const [[name, { kind }]] = Object.entries(declared)
    const send = (value) => `client.PATCH(${ofRecord}, { ${ofFirst}, body: ${toCode({ [name]: value })} })`

    calls.push(toCall(send(data[name]), path, 'patch', called, { [name]: data[name] }))
    mistakes.push(send(KINDS[kind][4]))
  }
  if (isOpen('archive')) {
    calls.push(
      toCall(`client.POST(${toUrl(path, 'archive')}, { body: { before: 'x' } })`, path, 'archive', {
        before: 'x'
      })
    )
    types.push(
      `const value: number = (await client.POST(${toUrl(path, 'archive')}, { body: { before: 'x' } })).data!.count`
    )
    mistakes.push(`client.POST(${toUrl(path, 'archive')}, { body: { before: 1 } })`)
  }

  return { calls, types, mistakes }
}

const VERBS = { find: 'GET', get: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH', remove: 'DELETE' }

function toClosed(path, method, isSingle) {
  if (method === 'favorite')
    return `client.PUT(${toUrl(path, '{id}/favorite')}, { params: { path: { id: '1' } } })`
  if (method === 'archive') return `client.POST(${toUrl(path, 'archive')}, { body: { before: 'x' } })`

  const isShort = isSingle || ['find', 'create'].includes(method)
  const url = isShort ? JSON.stringify(`/${path}`) : toUrl(path, '{id}')
  const data = ['create', 'update', 'patch'].includes(method) ? ', body: {}' : ''

  return `client.${VERBS[method]}(${url}, { params: { path: { id: 1 } }${data} } as any)`
}

function toUrl(path, rest) {
  return JSON.stringify(`/${path}/${rest}`)
}

/** A query as a generated client sends it, and as ours does. */
function toQuery(service, registry) {
  const { fields: declared, choice, operators = OPERATORS, relation } = service
  const sent = { $limit: 2 }
  const meant = { $limit: 2 }
  const known = operators ?? OPERATORS

  for (const [name, { kind, isHidden }] of Object.entries(declared ?? {})) {
    const [, , , values, , comparing] = KINDS[kind]
    const value = values[choice]
    const fitting = comparing.filter((one) => known.includes(one))

    if (isHidden || !COMPARED.includes(kind)) continue
    if (fitting.includes('$in') && choice === 1) {
      sent[`${name}[$in][]`] = values
      meant[name] = { $in: values }
    } else if (fitting.includes('$lte')) {
      sent[name] = { $lte: value }
      meant[name] = { $lte: value }
    } else {
      sent[name] = value
      meant[name] = value
    }
  }
  if (declared) {
    sent.$sort = { id: -1 }
    meant.$sort = { id: -1 }
  }

  const [[, related]] = registry

  if (declared && relation && related.fields && !related.isNested && hasOpen(related, 'find')) {
    sent['$include[]'] = ['related']
    meant.$include = ['related']
  }

  return { sent, meant }
}

/** Whether clients have a method: without rules, or with one for it. */
function hasOpen({ methods, rules }, method) {
  const named = METHODS.filter((one, index) => methods.includes(one) && rules?.[index])

  return methods.includes(method) && (named.length === 0 || named.includes(method))
}

function toWrongQueries(url, { fields: declared, operators }) {
  const send = (query) => `client.GET(${url}, { params: { query: ${toCode(query)} } })`

  return Object.entries(declared).flatMap(([name, { kind, isHidden }]) => {
    const [, , , [value], wrong, comparing] = KINDS[kind]

    if (isHidden || UNCOMPARED.includes(kind)) return [send({ [name]: value })]
    if (!COMPARED.includes(kind)) return []

    const unknown = comparing.filter((one) => operators && !operators.includes(one) && one !== '$in')

    return [send({ [name]: wrong }), ...unknown.map((one) => send({ [name]: { [one]: value } }))]
  })
}

/** The fields that a client gets, and their types. */
function toShown({ fields: declared, isComputed }) {
  const shown = Object.entries(declared)
    .filter(([, { isHidden }]) => !isHidden)
    .map(([name, { kind, form }]) => {
      const type = KINDS[kind][2]

      return [
        name,
        form === 'nullable' ? `${type} | null` : form === 'optional' ? `${type} | undefined` : type
      ]
    })

  return [
    ['id', 'number'],
    ['ownerId', 'number'],
    ['createdAt', 'string'],
    ...(isComputed ? [['size', 'unknown']] : []),
    ...shown
  ]
}

function toAccess(name) {
  return `[${JSON.stringify(name)}]`
}

function toCode(value) {
  return JSON.stringify(value)
}
