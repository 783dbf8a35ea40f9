// Makes requests to an example from its document, in a process of its own, and reports what was not as the document says.
import { contractTests } from 'alula/testing'
import { openExample } from '../../../scripts/support/examples.mjs'

const [name, folder, wanted, firstSeed] = process.argv.slice(2)
const { app, users } = await openExample(name, folder)
const failures = []
let requests = 0

globalThis.Request = class extends Request {
  constructor(...args) {
    super(...args)
    requests++
  }
}

for (let seed = Number(firstSeed); requests < Number(wanted) && failures.length === 0; seed++) {
  const tests = []

  contractTests(app, {
    describe: (_title, register) => register(),
    it: (_title, run) => tests.push(run),
    runs: 20,
    seed,
    users
  })
  for (const run of tests) await run().catch((error) => failures.push(error.message))
}

process.send({ requests, failures }, () => process.exit())
