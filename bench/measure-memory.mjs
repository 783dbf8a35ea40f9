// Holds one store; memory.mjs forks it, and asks it for one operation after the other. The arguments are the
// file in `stores/`, the number of records, and the options of the store as JSON.
import { createRecords, OPERATIONS } from './records.mjs'

/** How long a batch of calls takes at least, so that asking for the time does not count. */
const BATCH_MICROSECONDS = 1000
const LARGEST_BATCH = 512
/** Calls whose answers are compared. */
const ASKED = 3

const [file, count, options] = process.argv.slice(2)
const recordCount = Number(count)
const { createStore } = await import(`./stores/${file}.mjs`)
const store = createStore(createRecords(recordCount), JSON.parse(options))

/** Calls from one look at the time to the next, by operation. */
const batches = new Map()

let calls = 0

process.on('message', async ({ name, milliseconds }) => {
  const operation = OPERATIONS[name]

  if (store[operation.method] === undefined) process.send({})
  else if (milliseconds === undefined) process.send({ answer: await ask(operation) })
  else process.send({ time: await measure(name, operation, milliseconds) })
})
// The benchmark is through with it, or was stopped.
process.on('disconnect', () => process.exit())
process.send('ready')

/** What the first calls find: ids, and the number of records that match. */
async function ask(operation) {
  calls = 0

  const { results } = await runBatch(operation, ASKED)

  return results.map((result) => ({
    total: result.total,
    ids: [result.data ?? result].flat().map(({ id }) => id)
  }))
}

/** Does an operation for a while; returns the microseconds of one call, without what prepares it. */
async function measure(name, operation, milliseconds) {
  // In CPU time: on a machine that does other things, as much as on an idle one.
  const end = getCpuTime() + milliseconds * 1000
  let batch = batches.get(name) ?? 1
  let spent = 0
  let done = 0

  do {
    const { time } = await runBatch(operation, batch)

    spent += time
    done += batch
    if (time < BATCH_MICROSECONDS && batch < LARGEST_BATCH && !operation.prepare) batch *= 2
  } while (getCpuTime() < end)

  batches.set(name, batch)

  return spent / done
}

async function runBatch({ prepare, run, restore }, batch) {
  const results = []

  await prepare?.(store, recordCount)

  const start = getCpuTime()

  for (let call = 0; call < batch; call++) results.push(await run(store, calls++, recordCount))

  const time = getCpuTime() - start

  await restore?.(store, results)

  return { time, results }
}

/** Of this process, collecting its garbage included; other processes do not count. In microseconds. */
function getCpuTime() {
  const { user, system } = process.cpuUsage()

  return user + system
}
