// Measures a service call with some hooks, for all contestants in turns; hooks.mjs forks it. The argument is
// the number of hooks by type, as JSON.
import { feathers } from '@feathersjs/feathers'
import { alula } from '../dist/index.js'
import { runRounds } from './lib.mjs'

const ROUNDS = 5
const SAMPLE_MILLISECONDS = 40
const WARMUP_MILLISECONDS = 150
/** Calls between two looks at the clock. */
const BATCH = 500

const counts = JSON.parse(process.argv[2])

const services = {
  direct: createThings(),
  alula: createService(alula()),
  feathers: createService(feathers())
}

for (const service of Object.values(services)) await measure(service, WARMUP_MILLISECONDS)

const results = await runRounds(Object.keys(services), ROUNDS, (contestant) =>
  measure(services[contestant], SAMPLE_MILLISECONDS)
)

process.send(Object.fromEntries(results))

function createThings() {
  return {
    async get(id) {
      return { id }
    }
  }
}

function createService(app) {
  const hooks = Object.entries(counts).map(([type, count]) => [type, { get: createHooks(type, count) }])

  app.use('things', createThings())

  return app.service('things').hooks(Object.fromEntries(hooks))
}

function createHooks(type, count) {
  return Array.from({ length: count }, type === 'around' ? createAroundHook : createHook)
}

function createHook() {
  return async () => {}
}

function createAroundHook() {
  return async (_context, next) => {
    await next()
  }
}

/** Calls the method, one call after the other, for a while; returns the nanoseconds of one call. */
async function measure(service, milliseconds) {
  const start = process.hrtime.bigint()
  const end = start + BigInt(milliseconds * 1e6)
  let calls = 0
  let now = start

  while (now < end) {
    for (let call = 0; call < BATCH; call++) await service.get(call)

    calls += BATCH
    now = process.hrtime.bigint()
  }

  return Number(now - start) / calls
}
