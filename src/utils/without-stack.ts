/**
 * Creates an error that nobody reads the stack of: to capture one takes longer than all else that a refused call does.
 *
 * @param create Creates the error
 * @returns The error; its `stack` is its name and message
 */
export function withoutStack<E extends Error>(create: () => E): E {
  const limit = Error.stackTraceLimit

  // `Reflect.set`, because an assignment throws where `Error` is frozen.
  Reflect.set(Error, 'stackTraceLimit', 0)

  try {
    return create()
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit)
  }
}
