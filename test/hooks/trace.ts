type Next = () => Promise<unknown>

/** Hooks that write down when they run. */
export function createTrace() {
  const trace: string[] = []

  return {
    trace,
    hook: (label: string) => () => {
      trace.push(label)
    },
    around: (label: string) => async (_context: unknown, next: Next) => {
      trace.push(`${label} in`)
      await next()
      trace.push(`${label} out`)
    }
  }
}

export function fail(message: string): never {
  throw new Error(message)
}
