// What it costs to find the method of a request, and how that grows with the number of routes: from the path to the call,
// without a server.
import { alula } from '../dist/index.js'
import { toServiceCall } from '../dist/transport.js'
import { divide, formatSpread, printTable, runRounds, scaleRounds } from './lib.mjs'

const SIZES = [10, 100, 1000]
const ROUNDS = 9
const SAMPLE_MILLISECONDS = 60

/** The methods of a service, and their routes. */
function createMethods(count) {
  const names = Array.from({ length: count }, (_, index) => `method${index}`)

  return {
    names,
    service: Object.fromEntries(['find', 'get', ...names].map((name) => [name, async () => ({})])),
    options: {
      methods: ['find', 'get', ...names],
      routes: Object.fromEntries(names.map((name) => [`POST /:id/${name}`, name]))
    }
  }
}

/** An application with this many routes of one service, and a service without any. */
function createOne(count) {
  const { service, options, names } = createMethods(count)
  const app = alula()
    .use('things', service, options)
    .use('plain', { get: async () => ({}) })

  return { app, toPath: (index) => `/things/${index}/${names[(index * 7) % count]}` }
}

/** As many services, with a route each or without. */
function createMany(count, routes) {
  const app = alula()

  for (let index = 0; index < count; index++) {
    const { service, options } = createMethods(routes)

    app.use(`things-${index}`, service, options)
  }

  return { app, toPath: (index) => `/things-${(index * 7) % count}/${index}${routes > 0 ? '/method0' : ''}` }
}

const HEADERS = {}
const QUERY = {}

function toCall(app, method, path) {
  return toServiceCall({ method, headers: HEADERS, query: QUERY, body: {} }, app.lookup(path))
}

const contestants = new Map()

for (const size of SIZES) {
  const { app, toPath } = createOne(size)
  const routed = createMany(size, 1)
  const plain = createMany(size, 0)

  add(`an id, ${size} services without routes`, 'GET', plain.app, plain.toPath)
  add(`a route, ${size} of one service`, 'POST', app, toPath)
  add(`a route, ${size} services with one each`, 'POST', routed.app, routed.toPath)
  add(`an id, of a service with ${size} routes`, 'GET', app, (index) => `/things/${index}`)
  add(`an id, beside a service with ${size} routes`, 'GET', app, (index) => `/plain/${index}`)
}

function add(name, verb, app, toPath) {
  const paths = Array.from({ length: 1000 }, (_, index) => toPath(index))

  contestants.set(name, (index) => toCall(app, verb, paths[index]))
}

/** Nanoseconds of CPU time of one call. */
function measure(run) {
  const begin = process.cpuUsage().user
  let count = 0
  let spent = 0

  while (spent < SAMPLE_MILLISECONDS * 1000) {
    for (let index = 0; index < 1000; index++) run(index)
    count += 1000
    spent = process.cpuUsage().user - begin
  }

  return (spent / count) * 1000
}

// All have run before any is measured.
for (const run of contestants.values()) measure(run)

const results = await runRounds([...contestants.keys()], scaleRounds(ROUNDS), async (name) =>
  measure(contestants.get(name))
)
const baseline = results.get('an id, 10 services without routes')

printTable(
  'From the path of a request to the call of a method',
  ['', 'ns of CPU time', 'ratio to the first'],
  [...results].map(([name, times]) => [
    name,
    formatSpread(times, 0),
    formatSpread(divide(times, baseline), 2)
  ])
)
