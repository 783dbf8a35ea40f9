/**
 * Creates an error without a stack trace, for one that is caught at once. To capture a trace takes longer than the rest of a refused
 * call.
 *
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
