// Makes requests to examples from their documents, in a process of its own, and reports what was not as a document says.
import { contractTests } from 'alula-testing'
import { openExample } from '../../../../scripts/support/examples.mjs'

let requests = 0

globalThis.Request = class extends Request {
  constructor(...args) {
    super(...args)
    requests++
  }
}

process.on('message', async ({ name, folder, wanted, firstSeed }) => {
  const { app, users, contract } = await openExample(name, folder)
  const failures = []

  requests = 0

  for (let seed = firstSeed; requests < wanted && failures.length === 0; seed++) {
    const tests = []

    contractTests(app, {
      describe: (_title, register) => register(),
      it: (_title, run) => tests.push(run),
      runs: 20,
      seed,
      users,
      log: false,
      ...contract
    })
    for (const run of tests) await run().catch((error) => failures.push(error.message))
  }

  process.send({ requests, failures })
})
