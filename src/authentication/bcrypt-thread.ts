// Runs in a thread. scripts/build-thread.mjs makes it and bcryptjs one string, which a bundle of an application contains.
import { parentPort } from 'node:worker_threads'
import { compareSync, hashSync } from 'bcryptjs'
import type { BcryptCall, BcryptOutcome } from './bcrypt-threads.ts'

parentPort?.on('message', (call: BcryptCall) => parentPort?.postMessage(run(call)))

function run({ method, password, by }: BcryptCall): BcryptOutcome {
  try {
    return {
      value: method === 'hash' ? hashSync(password, by as number) : compareSync(password, by as string)
    }
  } catch (error) {
    return { error: (error as Error).message }
  }
}
