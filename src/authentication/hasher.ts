import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { BadRequest, Unavailable } from '../errors.ts'

/** Hashes passwords. Anything with these two functions can take the place of bcrypt. */
export interface Hasher {
  /**
   * Hashes a new password.
   *
   * @throws BadRequest for a password that the algorithm cannot hash as a whole
   */
  hash(password: string): Promise<string>
  /** Whether a password is the one that a hash was made of. */
  compare(password: string, hash: string): Promise<boolean>
  /** Whether a hash is weaker than a new one would be. Without this function no hash is renewed. */
  needsRehash?(hash: string): boolean
  /** Ends what runs in the background. */
  close?(): Promise<void> | void
}

/** A cost, and then 22 characters of salt and 31 of digest. */
const BCRYPT = /^\$2[abxy]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/** bcrypt reads no further, and some implementations stop at a NUL. In bytes. */
const LONGEST_PASSWORD = 72

/** How many passwords may wait at most: whoever came later would wait for minutes. */
const LONGEST_QUEUE = 1000

/** Leaves a core to the requests. */
const MAX_WORKERS = Math.max(1, Math.min(4, availableParallelism() - 1))

/** bcrypt in worker threads: a hash takes longer than a hundred requests, which must not wait for it. */
export class BcryptHasher implements Hasher {
  private readonly cost: number
  private readonly workers = new BcryptWorkers()

  /** @param cost How many rounds a hash takes, as a power of two */
  constructor(cost: number) {
    this.cost = cost
  }

  async hash(password: string): Promise<string> {
    if (!isHashable(password)) {
      throw new BadRequest(
        `Invalid password: expected at most ${LONGEST_PASSWORD} bytes in UTF-8 and no NUL character`
      )
    }

    return this.workers.run('hashSync', password, this.cost)
  }

  async compare(password: string, hash: string): Promise<boolean> {
    const isComparable = isHashable(password) && BCRYPT.test(hash)
    const isEqual = isComparable
      ? this.workers.run<boolean>('compareSync', password, hash)
      : // Takes as long, so that the answer does not come sooner.
        this.workers.run<boolean>('compareSync', '', this.dummyHash)

    return (await isEqual) && isComparable
  }

  needsRehash(hash: string): boolean {
    return Number(BCRYPT.exec(hash)?.[1]) < this.cost
  }

  close(): Promise<void> {
    return this.workers.close()
  }

  /** The form of a hash, of no known password. */
  private get dummyHash(): string {
    return `$2b$${String(this.cost).padStart(2, '0')}$${'.'.repeat(53)}`
  }
}

function isHashable(password: string): boolean {
  return !password.includes('\0') && Buffer.byteLength(password) <= LONGEST_PASSWORD
}

interface Job {
  readonly method: 'hashSync' | 'compareSync'
  readonly args: readonly unknown[]
  readonly resolve: (value: any) => void
  readonly reject: (error: Error) => void
}

/** A few threads, started when there is something to do. They do not keep the process running. */
class BcryptWorkers {
  private readonly idle: Worker[] = []
  private readonly busy = new Map<Worker, Job>()
  private readonly queue: Job[] = []
  private readonly pending = new Set<Promise<unknown>>()

  async run<Result>(method: Job['method'], ...args: readonly unknown[]): Promise<Result> {
    if (this.queue.length >= LONGEST_QUEUE) {
      throw new Unavailable('Too many passwords are waiting to be checked')
    }

    const result = new Promise<Result>((resolve, reject) => {
      this.queue.push({ method, args, resolve, reject })
      this.next()
    })

    this.pending.add(result)

    try {
      return await result
    } finally {
      this.pending.delete(result)
    }
  }

  /** Ends the threads when they are through with what they were given. */
  async close(): Promise<void> {
    while (this.pending.size > 0) await Promise.allSettled(this.pending)

    await Promise.all(this.idle.splice(0).map((worker) => worker.terminate()))
  }

  private next(): void {
    if (this.queue.length === 0) return

    const worker = this.idle.pop() ?? (this.busy.size < MAX_WORKERS ? this.start() : undefined)
    const job = worker && this.queue.shift()

    if (!job) return

    this.busy.set(worker, job)
    worker.ref()
    worker.postMessage({ method: job.method, args: job.args })
  }

  private start(): Worker {
    const worker = new Worker(`(${work})(require)`, {
      eval: true,
      execArgv: [],
      workerData: createRequire(import.meta.url).resolve('bcryptjs')
    })

    const finish = (settle: (job: Job) => void) => {
      const job = this.busy.get(worker)

      this.busy.delete(worker)
      if (job) settle(job)
      this.next()
    }

    worker.on('message', ({ value, error }) => {
      worker.unref()
      this.idle.push(worker)
      finish((job) => (error === undefined ? job.resolve(value) : job.reject(new Error(error))))
    })
    worker.on('error', (error) => finish((job) => job.reject(error)))

    return worker
  }
}

/** Runs in the thread, which gets its text: nothing from around it can be used. */
function work(require: (name: string) => any): void {
  const { parentPort, workerData } = require('node:worker_threads')
  const bcrypt = require(workerData)

  parentPort.on('message', ({ method, args }: Pick<Job, 'method' | 'args'>) => {
    try {
      parentPort.postMessage({ value: bcrypt[method](...args) })
    } catch (error) {
      parentPort.postMessage({ error: (error as Error).message })
    }
  })
}
