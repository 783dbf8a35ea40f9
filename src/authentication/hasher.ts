import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { BadRequest, Unavailable } from '../errors.ts'
import { createError } from '../utils/developer-error.ts'

/** Hashes passwords. Anything with these two functions can take the place of bcrypt. */
export interface Hasher {
  /**
   * Hashes a new password.
   *
   * @param password The password
   * @param isAborted Whether the client has gone: a hash that has not begun yet need not be made. It may reject then
   * @throws BadRequest for a password that the algorithm cannot hash as a whole
   */
  hash(password: string, isAborted?: () => boolean): Promise<string>
  /**
   * Whether a password is the one that a hash was made of.
   *
   * @param isAborted Whether the client has gone: a comparison that has not begun yet need not run. It may reject then
   */
  compare(password: string, hash: string, isAborted?: () => boolean): Promise<boolean>
  /** Whether a hash is weaker than a new one would be. Without this function no hash is renewed. */
  needsRehash?(hash: string): boolean
  /** Ends what runs in the background. */
  close?(): Promise<void> | void
}

/** A cost, and then 22 characters of salt and 31 of digest. */
const BCRYPT = /^\$2[abxy]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/

/** bcrypt reads no further, and some implementations stop at a NUL. In bytes. */
const MAX_PASSWORD = 72

/** How many jobs may wait when another login comes: it would wait for minutes. */
const MAX_QUEUE = 1000

/** The same for new passwords. An application that is filled with users may have many at once. */
const MAX_HASH_QUEUE = 10_000

/** Leaves a core to the requests. */
const MAX_WORKERS = Math.max(1, Math.min(4, availableParallelism() - 1))

/** bcrypt in worker threads: a hash takes longer than a hundred requests, which must not wait for it. */
export class BcryptHasher implements Hasher {
  /** How many rounds a hash takes, as a power of two. */
  readonly cost: number
  private readonly workers = new BcryptWorkers()
  /** The highest cost of all hashes so far: a comparison that fails takes as long as one with such a hash. */
  private highestCost: number

  /**
   * @param cost How many rounds a hash takes, as a power of two: from 4 to 31
   * @throws Error for another cost
   */
  constructor(cost: number) {
    if (!isCost(cost))
      throw createError(
        'ALULA_INVALID_OPTION',
        'Invalid cost of a bcrypt hash: expected an integer from 4 to 31'
      )

    this.cost = cost
    this.highestCost = cost
  }

  async hash(password: string, isAborted?: () => boolean): Promise<string> {
    if (!isHashable(password)) {
      throw new BadRequest(
        `Invalid password: expected at most ${MAX_PASSWORD} bytes in UTF-8 and no NUL character`
      )
    }

    this.workers.assertShorter('hashSync', MAX_HASH_QUEUE)

    return this.workers.run('hashSync', [password, this.cost], isAborted)
  }

  async compare(password: string, hash: string, isAborted?: () => boolean): Promise<boolean> {
    this.workers.assertShorter('compareSync', MAX_QUEUE)

    const cost = toCost(hash)

    this.highestCost = Math.max(this.highestCost, cost ?? 0)

    // For an unknown user as for a known one, whatever the hash costs: the time must not tell them apart.
    if (cost === undefined || !isHashable(password)) {
      return this.compareWithNothing(this.highestCost, isAborted)
    }
    if (await this.workers.run<boolean>('compareSync', [password, hash], isAborted)) return true

    // Each cost is twice the one before: all from that of the hash to the last before the highest are the difference.
    for (let below = cost; below < this.highestCost; below++) await this.compareWithNothing(below, isAborted)

    return false
  }

  needsRehash(hash: string): boolean {
    return (toCost(hash) ?? this.cost) < this.cost
  }

  close(): Promise<void> {
    return this.workers.close()
  }

  private async compareWithNothing(cost: number, isAborted?: () => boolean): Promise<false> {
    // The form of a hash, of no known password.
    const hash = `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`

    await this.workers.run('compareSync', ['', hash], isAborted)

    return false
  }
}

/** Whether bcrypt knows a cost. */
export function isCost(cost: unknown): cost is number {
  return Number.isInteger(cost) && (cost as number) >= 4 && (cost as number) <= 31
}

/** The cost of a hash; `undefined` for a string that is none. */
function toCost(hash: string): number | undefined {
  const cost = BCRYPT.exec(hash)?.[1]

  return cost === undefined ? undefined : Number(cost)
}

function isHashable(password: string): boolean {
  return !password.includes('\0') && Buffer.byteLength(password) <= MAX_PASSWORD
}

interface Job {
  readonly method: 'hashSync' | 'compareSync'
  readonly args: readonly unknown[]
  /** Whether no caller waits for the result. */
  readonly isAborted: () => boolean
  readonly resolve: (value: any) => void
  readonly reject: (error: Error) => void
}

/** A few threads, started when there is something to do. They do not keep the process running. */
class BcryptWorkers {
  private readonly idle: Worker[] = []
  private readonly busy = new Map<Worker, Job>()
  private readonly queues: { readonly [Method in Job['method']]: Job[] } = { compareSync: [], hashSync: [] }
  /** What began last. */
  private latest: Job['method'] = 'hashSync'
  private readonly pending = new Set<Promise<unknown>>()

  /** @throws Unavailable when that many jobs of a kind wait already */
  assertShorter(method: Job['method'], limit: number): void {
    const queue = this.queues[method]

    if (queue.length >= limit) dropAborted(queue)
    if (queue.length >= limit) {
      throw new Unavailable('Too many passwords are waiting to be checked')
    }
  }

  /** @throws BadRequest for a job that was aborted before it began */
  async run<Result>(
    method: Job['method'],
    args: readonly unknown[],
    isAborted: () => boolean = () => false
  ): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => {
      this.queues[method].push({ method, args, isAborted, resolve, reject })
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
    const queue = this.findQueue()
    const worker = queue && (this.idle.pop() ?? (this.busy.size < MAX_WORKERS ? this.start() : undefined))
    const job = worker && queue.shift()

    if (!job) return

    this.latest = job.method
    this.busy.set(worker, job)
    worker.ref()
    worker.postMessage({ method: job.method, args: job.args })
  }

  /** New passwords and comparisons take turns: many of one kind do not hold up the other one. */
  private findQueue(): Job[] | undefined {
    const { compareSync: comparisons, hashSync: hashes } = this.queues
    const queues = this.latest === 'hashSync' ? [comparisons, hashes] : [hashes, comparisons]

    for (const queue of queues) {
      while (queue[0]?.isAborted()) abort(queue.shift() as Job)
    }

    return queues.find((queue) => queue.length > 0)
  }

  private start(): Worker {
    const worker = new Worker(`(${work})(require)`, {
      eval: true,
      execArgv: [],
      workerData: createRequire(import.meta.url).resolve('bcryptjs')
    })

    let failure = new Error('The thread that hashes passwords has ended')

    worker.on('message', ({ value, error }) => {
      const job = this.busy.get(worker)

      worker.unref()
      this.busy.delete(worker)
      this.idle.push(worker)

      if (error === undefined) job?.resolve(value)
      else job?.reject(new Error(error))

      this.next()
    })
    worker.on('error', (error) => {
      failure = error
    })
    worker.on('exit', () => {
      const job = this.busy.get(worker)

      this.busy.delete(worker)
      if (this.idle.includes(worker)) this.idle.splice(this.idle.indexOf(worker), 1)
      job?.reject(failure)
      this.next()
    })

    return worker
  }
}

function dropAborted(queue: Job[]): void {
  for (const job of queue.splice(0)) {
    if (job.isAborted()) abort(job)
    else queue.push(job)
  }
}

function abort({ reject }: Job): void {
  reject(new BadRequest('The request was aborted'))
}

// Stryker disable all: what mutants call is not there in the thread.
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
