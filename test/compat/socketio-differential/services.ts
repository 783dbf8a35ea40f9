import { type Library, normalize } from './servers.ts'

const call = async (method: string, values: object, { query, route }: any) => ({
  method,
  ...values,
  query,
  route
})

const echo = {
  find: (params: any) => call('find', {}, params),
  get: (id: any, params: any) => call('get', { id }, params),
  create: (data: any, params: any) => call('create', { data }, params),
  update: (id: any, data: any, params: any) => call('update', { id, data }, params),
  patch: (id: any, data: any, params: any) => call('patch', { id, data }, params),
  remove: (id: any, params: any) => call('remove', { id }, params)
}

export const results: { [id: string]: unknown } = {
  undefined: undefined,
  null: null,
  zero: 0,
  empty: '',
  false: false,
  true: true,
  number: 5,
  text: 'text',
  list: [],
  'list of nothing': [undefined, null],
  object: {},
  date: new Date(0),
  bytes: Buffer.from('abc'),
  'bytes inside': { bytes: Buffer.from('abc') },
  'undefined inside': { a: undefined, b: 1 },
  'not a number': { a: Number.NaN, b: Number.POSITIVE_INFINITY },
  page: { total: 0, limit: 1, skip: 0, data: [] },
  toJSON: { toJSON: () => 'JSON' },
  instance: new (class Point {
    x = 1
  })(),
  map: new Map([['a', 1]]),
  bigint: 1n
}

export const dispatches: { [id: string]: unknown } = {
  undefined: undefined,
  null: null,
  zero: 0,
  empty: '',
  false: false,
  object: { dispatched: true },
  list: [1]
}

export const failures: { [id: string]: (library: Library) => unknown } = {
  BadRequest: ({ errors }) => new errors.BadRequest('Not like this'),
  'BadRequest without a message': ({ errors }) => new errors.BadRequest(),
  NotAuthenticated: ({ errors }) => new errors.NotAuthenticated('Who are you?'),
  Forbidden: ({ errors }) => new errors.Forbidden('Not for you'),
  NotFound: ({ errors }) => new errors.NotFound('Not here', { where: 'there' }),
  Conflict: ({ errors }) => new errors.Conflict('Taken', { errors: { id: 'taken' } }),
  Unprocessable: ({ errors }) => new errors.Unprocessable('No', { errors: [{ field: 'a' }], more: 1 }),
  GeneralError: ({ errors }) => new errors.GeneralError('Broken'),
  Unavailable: ({ errors }) => new errors.Unavailable('Later'),
  'an error with a list as data': ({ errors }) => new errors.BadRequest('No', [1, 2]),
  'an error with hidden properties': ({ errors }) =>
    Object.assign(new errors.BadRequest('No'), { hook: { secret: 1 }, secret: 2 }),
  Error: () => new Error('boom'),
  TypeError: () => new TypeError('boom'),
  'an Error with properties': () => Object.assign(new Error('boom'), { code: 'ER_DUP', sql: 'select' }),
  'an Error with a status': () => Object.assign(new Error('boom'), { code: 404, statusCode: 404 }),
  'an Error with toJSON': () => Object.assign(new Error('boom'), { toJSON: () => ({ message: 'JSON' }) }),
  'an Error without a message': () => new Error(),
  'an AggregateError': () => new AggregateError([new Error('inner')], 'several'),
  'a text': () => 'boom',
  'a number': () => 5,
  'an object': () => ({ message: 'boom', code: 400 }),
  'an object that looks like an error': () => ({
    type: 'FeathersError',
    name: 'Teapot',
    message: 'I am a teapot',
    code: 418,
    className: 'teapot'
  }),
  false: () => false
}

/** What the messages are for. */
export function configure(app: any, library: Library): void {
  app.use('echo', echo)
  app.use('users/:userId/things', echo)
  app.use('users/:userId/custom/:part', { greet: echo.create }, { methods: ['greet'] })
  app.use('fixed/:a', { find: echo.find }, { routeParams: { b: 'c' } })
  app.use(
    'custom',
    {
      greet: async (data: any, { query }: any) => ({ greeting: data?.name, data, query }),
      find: async () => ['found'],
      get: async () => 'not listed',
      unlisted: async () => 'not listed',
      _find: async () => 'not listed'
    },
    { methods: ['find', 'greet'] }
  )
  app.use('some', { find: async () => [], setup: async () => undefined, hidden: async () => 'hidden' })
  app.use('params', {
    find: async (params: any) => ({
      ...params,
      connection: params.connection.provider,
      headers: typeof params.headers.host
    })
  })
  app.use('results', { get: async (id: string) => results[id] })
  app.use('sync', {
    find: () => 'at once',
    get: () => {
      throw new library.errors.NotFound('At once')
    }
  })
  app.use('dispatches', { get: async (id: string) => ({ id }) })
  app.service('dispatches').hooks({
    after: {
      get: [
        async (context: any) => {
          context.dispatch = dispatches[context.id]
        }
      ]
    }
  })
  app.use('failures', {
    get: async (id: string) => {
      throw failures[id]?.(library)
    },
    // A hook sees the error on its way.
    create: async () => {
      throw new library.errors.BadRequest('from the service')
    }
  })
  app.service('failures').hooks({
    error: {
      create: [
        async (context: any) => {
          context.error = new library.errors.Conflict('from a hook')
        }
      ]
    }
  })
  app.use('recovering', {
    get: async () => {
      throw new Error('never seen')
    }
  })
  app.service('recovering').hooks({
    error: {
      get: [
        async (context: any) => {
          context.result = 'recovered'
        }
      ]
    }
  })
  app.use('hooked', echo)
  app.service('hooked').hooks({
    before: {
      find: [
        async (context: any) => {
          context.result = 'by a hook'
        }
      ],
      create: [
        async (context: any) => {
          context.data = { ...context.data, hooked: true }
        }
      ]
    },
    after: {
      get: [
        async (context: any) => {
          context.result = normalize(context.result)
          context.result.type = context.type
        }
      ]
    }
  })
}
