/**
 * Decides whether something that follows from a call happens now, or waits.
 *
 * @param run What follows
 * @param context The context of the call
 * @returns Whether it waits, or is dropped; whoever says so runs it when its time has come
 */
export type Deferral = (run: () => void, context: any) => boolean

const deferrals = new Set<Deferral>()

/** Adds somebody who decides that. All applications of the process are concerned: a call may go from one to another. */
export function addDeferral(deferral: Deferral): void {
  deferrals.add(deferral)
}

/** Runs something now, unless somebody lets it wait. */
export function runOrDefer(run: () => void, context: unknown): void {
  for (const deferral of deferrals) {
    if (deferral(run, context)) return
  }

  run()
}
