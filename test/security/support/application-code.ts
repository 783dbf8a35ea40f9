// What functions of an application may do wrong, for tests of every place that calls one.
import { expect, onTestFinished } from 'vitest'

/** The message of every error that is made here. */
export const MESSAGE = 'broken by the application'

const fail = () => new Error(MESSAGE)

/** All ways to fail. The last two are promises of another making: `then` is all that they have. */
export const FAILURES: { readonly [Name in Failure]: () => any } = {
  throws: () => {
    throw fail()
  },
  'rejects at once': () => Promise.reject(fail()),
  'rejects later': async () => {
    await new Promise(setImmediate)
    throw fail()
  },
  'returns a thenable that throws': () => ({
    then() {
      throw fail()
    }
  }),
  'returns a thenable that rejects later': () => ({
    then(_resolve: unknown, reject: (error: Error) => void) {
      setImmediate(() => reject(fail()))
    }
  })
}

export type Failure =
  | 'throws'
  | 'rejects at once'
  | 'rejects later'
  | 'returns a thenable that throws'
  | 'returns a thenable that rejects later'

const NAMES = Object.keys(FAILURES) as Failure[]

/** Every failure beside every other one, for places that call several functions at once. */
export const PAIRS = NAMES.flatMap((first) => NAMES.map((second) => [first, second] as const))

/** Functions that fail until `repair` is called, and then return a value. */
export class Faults {
  private isRepaired = false
  private readonly failures: readonly Failure[]

  constructor(...failures: readonly Failure[]) {
    this.failures = failures
  }

  /** The first one, the second one, … */
  make<T>(index: number, value: (...args: any[]) => T): (...args: any[]) => T {
    return (...args) => {
      const failure = this.failures[index % this.failures.length] as Failure

      return this.isRepaired ? value(...args) : FAILURES[failure]()
    }
  }

  repair(): void {
    this.isRepaired = true
  }
}

/**
 * Watches for what would end the process.
 *
 * @returns Waits until all that has begun is through, and fails for an error that nothing has handled
 */
export function watchProcess(): () => Promise<void> {
  const fatal: unknown[] = []
  const note = (error: unknown) => void fatal.push(error)

  process.on('unhandledRejection', note)
  process.on('uncaughtExceptionMonitor', note)
  onTestFinished(() => {
    process.off('unhandledRejection', note)
    process.off('uncaughtExceptionMonitor', note)
  })

  return async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    expect(fatal).toEqual([])
  }
}

/** The names of the functions among the members of a type: a table by them does not compile when one is missing. */
export type FunctionNames<T> = {
  [Name in keyof T]-?: Extract<NonNullable<T[Name]>, (...args: any[]) => any> extends never ? never : Name
}[keyof T] &
  string
