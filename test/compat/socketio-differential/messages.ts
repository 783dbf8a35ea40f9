import { dispatches, failures, results } from './services.ts'

/** A message as it is sent, by what it stands for. */
export type Message = readonly [name: string, message: readonly unknown[]]

const deep = (depth: number): object => (depth === 0 ? {} : { a: deep(depth - 1) })
const own = (json: string): any => JSON.parse(json)
const many = (length: number) => Array.from({ length }, (_, index) => index)

/** By method: what follows the path. */
const args: { [method: string]: { [title: string]: readonly unknown[] } } = {
  find: {
    nothing: [],
    'an empty query': [{}],
    'a query': [{ a: 1, b: { $in: [1, 'x', null, true] }, $sort: { c: -1 } }],
    'null as query': [null],
    'undefined as query': [undefined],
    'a text as query': ['text'],
    'an empty text as query': [''],
    'a number as query': [5],
    'true as query': [true],
    'a list as query': [[1, 2]],
    'a date in a query': [{ at: new Date(0) }],
    'bytes as query': [Buffer.from('abc')],
    'bytes in a query': [{ a: Buffer.from('abc') }],
    'too many': [{}, {}],
    'too many, though they are nothing': [{}, null],
    '__proto__ in a query': [own('{"__proto__":{"a":1}}')],
    '__proto__ deep in a query': [own('{"a":{"__proto__":{"a":1}}}')],
    'constructor in a query': [{ constructor: 1 }],
    'toString in a query': [{ toString: 1, hasOwnProperty: 2 }],
    'a query of 16 levels': [deep(16)],
    'a query of 20 levels': [deep(20)],
    'a list of 500 in a query': [{ a: { $in: many(500) } }],
    'a list of 501 in a query': [{ a: { $in: many(501) } }],
    '1001 parameters': [Object.fromEntries(many(1001).map((index) => [`a${index}`, 1]))]
  },
  get: {
    nothing: [],
    'a number': [1],
    'a text': ['x'],
    'an id and a query': ['x', { a: 1 }],
    'zero as id': [0],
    'a negative id': [-1],
    'a fraction as id': [1.5],
    'null as id': [null],
    'undefined as id': [undefined],
    'an empty id': [''],
    'NaN as id': [Number.NaN],
    'true as id': [true],
    'an object as id': [{}],
    'an operator as id': [{ $gt: '' }],
    'a list as id': [['x']],
    'bytes as id': [Buffer.from('abc')],
    'a date as id': [new Date(0)],
    '__proto__ as id': ['__proto__'],
    'an id with a slash': ['a/b %20'],
    'null as query': [1, null],
    'a text as query': [1, 'text'],
    'too many': [1, {}, {}]
  },
  create: {
    nothing: [],
    'an empty object': [{}],
    'an object': [{ a: 1, b: { c: [null] } }],
    'data and a query': [{ a: 1 }, { b: 2 }],
    'a list': [[{ a: 1 }, { a: 2 }]],
    'an empty list': [[]],
    null: [null],
    undefined: [undefined],
    'a text': ['text'],
    'a number': [5],
    true: [true],
    'a list of null': [[null]],
    'a list of lists': [[[]]],
    'a list of texts': [['a']],
    bytes: [Buffer.from('abc')],
    'bytes inside': [{ a: Buffer.from('abc') }],
    'a date inside': [{ at: new Date(0) }],
    '__proto__ inside': [own('{"__proto__":{"admin":true},"a":1}')],
    '100 levels': [deep(99)],
    '200 levels': [deep(200)],
    'null as query': [{}, null],
    'a list as query': [{}, []],
    'too many': [{}, {}, {}]
  },
  update: {
    nothing: [],
    'an id': [1],
    'an id and data': [1, { a: 1 }],
    'an id, data and a query': ['x', { a: 1 }, { b: 2 }],
    'null as id': [null, { a: 1 }],
    'an empty id': ['', {}],
    'an object as id': [{}, {}],
    'null as data': [1, null],
    'a text as data': [1, 'text'],
    'a list as data': [1, [{}]],
    'a text as query': [1, {}, 'text'],
    'too many': [1, {}, {}, {}]
  },
  patch: {
    nothing: [],
    'an id': [1],
    'an id and data': [1, { a: 1 }],
    'an id, data and a query': ['x', { a: 1 }, { b: 2 }],
    'null as id': [null, { a: 1 }, { b: { $ne: 1 } }],
    'an object as id': [{ $ne: 1 }, {}],
    'null as data': [1, null],
    'a number as data': [1, 5],
    'a list as data': [1, [{}]],
    'too many': [1, {}, {}, {}]
  },
  remove: {
    nothing: [],
    'an id': [1],
    'an id and a query': ['x', { a: 1 }],
    'null as id': [null],
    'null as id, and a query': [null, { a: 1 }],
    'undefined as id': [undefined],
    'an empty id': [''],
    'an object as id': [{ $ne: 1 }],
    'a list as id': [[1, 2]],
    'false as id': [false],
    'too many': [1, {}, {}]
  }
}

const greet: { [title: string]: readonly unknown[] } = {
  nothing: [],
  data: [{ name: 'Ann' }],
  'data and a query': [{ name: 'Ann' }, { a: 1 }],
  'null as data': [null],
  'a text as data': ['Ann'],
  'a number as data': [5],
  'a list as data': [[1, 'x', null]],
  'a text as query': [{}, 'text'],
  'too many': [{}, {}, {}]
}

const paths: { [title: string]: unknown } = {
  null: null,
  undefined,
  'a number': 5,
  true: true,
  'an object': {},
  'a list': ['echo'],
  'an empty text': '',
  'a slash': '/',
  'a service that is not there': 'nothing',
  'slashes at its ends': '/echo/',
  'several slashes at its ends': '//echo//',
  'another case': 'Echo',
  'an id behind it': 'echo/1',
  'two ids behind it': 'echo/1/2',
  __proto__: '__proto__',
  constructor: 'constructor',
  toString: 'toString',
  'a space': ' echo',
  'an escape': '%65cho',
  'a query string': 'echo?a=1',
  placeholders: 'users/5/things',
  'a placeholder with a space': 'users/a b/things',
  'a placeholder with escapes': 'users/a%20%2fb/things',
  'a placeholder that is empty': 'users//things',
  'a placeholder named __proto__': 'users/__proto__/things',
  'an id behind placeholders': 'users/5/things/6',
  'a service with params of its own': 'fixed/1',
  'the name of a placeholder': 'users/:userId/things'
}

/** Names that no service offers: nobody answers. */
const unknown = [
  'unlisted',
  '_find',
  'setup',
  'teardown',
  'hidden',
  'hooks',
  'on',
  'emit',
  'publish',
  'toString',
  'constructor',
  '__proto__',
  'echo',
  'echo find',
  'echo::find',
  'created',
  ''
]

const titled = (entries: object, toMessage: (value: any) => readonly unknown[], prefix: string): Message[] =>
  Object.entries(entries).map(([title, value]) => [`${prefix} ${title}`, toMessage(value)])

export const messages: readonly Message[] = [
  ...Object.entries(args).flatMap(([method, rows]) =>
    titled(rows, (values) => [method, 'echo', ...values], `${method} with`)
  ),
  ...titled(greet, (values) => ['greet', 'custom', ...values], 'a custom method with'),
  ['a standard method beside a custom one', ['find', 'custom']],
  ['a standard method that is not listed', ['get', 'custom', 1]],
  ['a custom method of another service', ['greet', 'echo', {}]],
  ['a custom method of a service that is not there', ['greet', 'nothing', {}]],
  ['a custom method behind placeholders', ['greet', 'users/1/custom/x', { a: 1 }, { b: 2 }]],
  ['a method that the service does not have', ['patch', 'some', 1, {}]],
  ['a method that the service does not have, with too many arguments', ['patch', 'some', 1, {}, {}, {}]],
  ...unknown.map((name): Message => [`the method '${name}'`, [name, 'echo', {}]]),
  ['a message without a path', ['find']],
  ...titled(paths, (path) => ['find', path, {}], 'a path that is'),
  ...titled(paths, (path) => ['create', path, {}], 'create with a path that is'),
  ['the params of a call', ['find', 'params', { a: 1 }]],
  ['params in the place of the query', ['find', 'params', { query: { a: 1 }, provider: '', user: 1 }]],
  ...Object.keys(results).map((id): Message => [`the result ${id}`, ['get', 'results', id]]),
  ...Object.keys(dispatches).map((id): Message => [`the dispatch ${id}`, ['get', 'dispatches', id]]),
  ...Object.keys(failures).map((id): Message => [`the failure ${id}`, ['get', 'failures', id]]),
  ['a method that is not asynchronous', ['find', 'sync']],
  ['a method that fails at once', ['get', 'sync', 1]],
  ['an error of a hook', ['create', 'failures', {}]],
  ['a result of an error hook', ['get', 'recovering', 1]],
  ['a result of a before hook', ['find', 'hooked']],
  ['data of a before hook', ['create', 'hooked', { a: 1 }]],
  ['a result of an after hook', ['get', 'hooked', 1]]
]
