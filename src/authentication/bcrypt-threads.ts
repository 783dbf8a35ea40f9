import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { BadRequest, Unavailable } from '../errors.ts'
import { createError } from '../utils/developer-error.ts'
import { BCRYPT_THREAD } from './bcrypt-thread-text.ts'

/** What a thread does: it hashes a password by a cost, or compares it with a hash. */
export type BcryptCall =
  | { readonly method: 'hash'; readonly password: string; readonly by: number }
  | { readonly method: 'compare'; readonly password: string; readonly by: string }

/** What a thread sends back. */
export type BcryptOutcome = { readonly value: string | boolean } | { readonly error: string }

interface Job {
  readonly call: BcryptCall
  /** Whether no caller waits for the result. */
  readonly isAborted: () => boolean
  readonly resolve: (value: string | boolean) => void
  readonly reject: (error: Error) => void
}

/** What waits in one queue: comparisons of accounts that are known where the client is, others, and new passwords. */
type Kind = 'known' | 'compare' | 'hash'

/** In the order in which they take turns. */
const KINDS: readonly Kind[] = ['known', 'compare', 'hash']

/** How many calls of each kind may wait when another one comes. An application that imports users hashes many at once. */
const MAX_QUEUE = { known: 1000, compare: 1000, hash: 10_000 } as const

/** Leaves a core to the requests. */
const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1))

/** A few threads, started when there is something to do. They do not keep the process running. */
export class BcryptThreads {
  private readonly idle: Worker[] = []
  private readonly busy = new Map<Worker, Job>()
  private readonly queues: Record<Kind, Job[]> = { known: [], compare: [], hash: [] }
  /** The kind of the call that began last. */
  private latest: Kind = 'hash'
  private readonly pending = new Set<Promise<unknown>>()

  /**
   * Runs a call in a thread. Throws Unavailable when too many calls of its kind wait already, and BadRequest for one that no
   * caller waits for (`isAborted`) before it begins. `isKnown`: whether a comparison is one of an account that is known where
   * the client is.
   */
  async run(
    call: BcryptCall,
    isAborted: () => boolean = () => false,
    isKnown = false
  ): Promise<string | boolean> {
    const kind = isKnown ? 'known' : call.method
    const queue = this.queues[kind]

    if (queue.length >= MAX_QUEUE[kind]) rejectAborted(queue)
    if (queue.length >= MAX_QUEUE[kind]) {
      throw new Unavailable('Too many passwords are waiting to be checked')
    }

    const result = new Promise<string | boolean>((resolve, reject) => {
      queue.push({ call, isAborted, resolve, reject })
      this.startNext()
    })

    this.pending.add(result)

    try {
      return await result
    } finally {
      this.pending.delete(result)
    }
  }

  /** Ends the threads when they have done what they were given. */
  async close(): Promise<void> {
    while (this.pending.size > 0) await Promise.allSettled(this.pending)

    await Promise.all(this.idle.splice(0).map((thread) => thread.terminate()))
  }

  private startNext(): void {
    if (this.idle.length === 0 && this.busy.size >= MAX_THREADS) return

    const job = this.takeJob()

    if (!job) return

    try {
      const thread = this.idle.pop() ?? this.createThread()

      this.busy.set(thread, job)
      thread.ref()
      thread.postMessage(job.call)
    } catch (cause) {
      job.reject(
        createError(
          'ALULA_NO_HASHING_THREAD',
          `The thread that hashes passwords cannot start: ${(cause as Error).message}`,
          { cause }
        )
      )
      // Without a thread that runs, nothing else starts the calls that wait.
      if (this.busy.size === 0) queueMicrotask(() => this.startNext())
    }
  }

  /** The kinds take turns: many of one do not hold up the others. */
  private takeJob(): Job | undefined {
    const next = KINDS.indexOf(this.latest) + 1

    for (const kind of [...KINDS.slice(next), ...KINDS.slice(0, next)]) {
      const queue = this.queues[kind]

      for (let job = queue.shift(); job; job = queue.shift()) {
        if (!job.isAborted()) {
          this.latest = kind

          return job
        }

        rejectAsAborted(job)
      }
    }

    return undefined
  }

  private createThread(): Worker {
    const thread = new Worker(BCRYPT_THREAD, { eval: true, execArgv: [] })
    let failure: unknown

    thread.on('message', (message: object) => {
      // Node 24 reports the modules of a thread this way to `node --watch`.
      if (!isOutcome(message)) return

      const job = this.busy.get(thread)

      thread.unref()
      this.busy.delete(thread)
      this.idle.push(thread)

      if ('error' in message) job?.reject(new Error(message.error))
      else job?.resolve(message.value)

      this.startNext()
    })
    thread.on('error', (error) => {
      failure = error
    })
    thread.on('exit', () => {
      const job = this.busy.get(thread)

      this.busy.delete(thread)
      if (this.idle.includes(thread)) this.idle.splice(this.idle.indexOf(thread), 1)
      job?.reject(new Error('The thread that hashes passwords has ended', { cause: failure }))
      this.startNext()
    })

    return thread
  }
}

function isOutcome(message: object): message is BcryptOutcome {
  return 'value' in message || 'error' in message
}

function rejectAborted(queue: Job[]): void {
  for (const job of queue.splice(0)) {
    if (job.isAborted()) rejectAsAborted(job)
    else queue.push(job)
  }
}

function rejectAsAborted({ reject }: Job): void {
  reject(new BadRequest('The request was aborted'))
}
