/**
 * Holds back what follows from a call; `run` takes the transaction that held it back. Returns whether it is held back: then it
 * runs later, or never.
 */
export type Deferral = (run: (transaction?: object) => void, context: any) => boolean

/**
 * One for the process: a transaction of `alula/kysely` holds back events of all applications, because a call may go from
 * one to another. Where that is not used, nothing is held back.
 */
let deferral: Deferral = () => false

/** Sets the function that decides which effects of calls are held back. */
export function setDeferral(decide: Deferral): void {
  deferral = decide
}

/** Runs something now, unless it is held back. */
export function runOrDefer(run: (transaction?: object) => void, context: unknown): void {
  if (!deferral(run, context)) run()
}
