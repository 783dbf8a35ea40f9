/**
 * Creates an error for one that is caught at once, without a stack trace: its `stack` is its name and message. To capture a
 * trace takes longer than the rest of a refused call.
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
