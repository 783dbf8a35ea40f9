import type { NullableId, Params, SentData } from './types.ts'

interface MethodDefinition {
  /** The names of the arguments, in order. */
  readonly args: readonly ('id' | 'data' | 'params')[]
  /** The HTTP verb. */
  readonly verb: string
  /** The event that a successful call emits. */
  readonly event?: string
}

/** The standard service methods. Argument order, verbs and events are derived from here and nowhere else. */
export const methods = {
  find: { args: ['params'], verb: 'GET' },
  get: { args: ['id', 'params'], verb: 'GET' },
  create: { args: ['data', 'params'], verb: 'POST', event: 'created' },
  update: { args: ['id', 'data', 'params'], verb: 'PUT', event: 'updated' },
  patch: { args: ['id', 'data', 'params'], verb: 'PATCH', event: 'patched' },
  remove: { args: ['id', 'params'], verb: 'DELETE', event: 'removed' }
} as const satisfies Record<string, MethodDefinition>

const CUSTOM: MethodDefinition = { args: ['data', 'params'], verb: 'POST' }

const definitions: ReadonlyMap<string, MethodDefinition> = new Map(Object.entries(methods))

/** The names of the six standard methods. */
export const defaultServiceMethods: readonly string[] = [...definitions.keys()]

/** The argument names of each standard method. */
export const defaultServiceArguments: { readonly [method: string]: readonly string[] } = fromTable(
  ({ args }) => args
)

/** The event that each standard method emits, where it emits one. */
export const defaultEventMap: { readonly [method: string]: string } = fromTable(({ event }) => event)

/** The names of the events that the standard methods emit. */
export const defaultServiceEvents: readonly string[] = Object.values(defaultEventMap)

/** One call of a service method, whichever way it came in. */
export interface ServiceCall extends SentData {
  readonly id?: NullableId
  readonly params: Params
}

/** Whether a name is one of the six standard methods. */
export function isStandardMethod(name: string): boolean {
  return definitions.has(name)
}

/** The definition of a method; a name that is not in the table is a custom method. */
export function getDefinition(name: string): MethodDefinition {
  return definitions.get(name) ?? CUSTOM
}

/** The arguments for calling the method of a call. */
export function toArguments(call: ServiceCall): unknown[] {
  const args: unknown[] = []

  // A function that is called for each of them takes longer.
  for (const name of getDefinition(call.method).args) args.push(call[name])

  return args
}

/**
 * The call that the arguments of a method stand for; the other way round than `toArguments`. Arguments that are missing are
 * `undefined`, and params are `{}`.
 */
export function fromArguments(method: string, args: readonly unknown[]): ServiceCall {
  const names: readonly string[] = getDefinition(method).args
  const pick = (name: string): unknown => args[names.indexOf(name)]

  return {
    method,
    id: pick('id') as NullableId,
    data: pick('data'),
    params: (pick('params') ?? {}) as Params
  }
}

function fromTable<T>(select: (definition: MethodDefinition) => T | undefined): Record<string, T> {
  const table = Object.create(null)

  for (const [name, definition] of definitions) {
    const value = select(definition)

    if (value !== undefined) table[name] = value
  }

  return Object.freeze(table)
}
