import type { HookContext, NextFunction } from '../core/types.ts'
import { BadRequest, MethodNotAllowed } from '../errors.ts'
import { createError } from '../utils/developer-error.ts'
import { copyPlain, copyWith, getPath, isPlainObject, setOwn } from '../utils/object.ts'

/** Which strategy hashes a password. */
export interface HashPasswordOptions {
  /** The path of the authentication service; the default one when left out. */
  authentication?: string
  /** The name of the strategy; `local` when left out. */
  strategy?: string
}

/**
 * A before or around hook that hashes a field of the data, of each item of an array too. Data without the field is
 * left alone.
 *
 * @param field The name of the field; dots lead into objects
 * @param options Which strategy hashes
 * @throws Error when there is no field name. The hook throws BadRequest for a password that the strategy refuses
 */
export function hashPassword(field: string, options: HashPasswordOptions = {}) {
  if (!field || typeof field !== 'string') {
    throw createError('ALULA_INVALID_ARGUMENT', 'The hashPassword hook requires a field name option')
  }
  if (typeof options !== 'object' || options === null) {
    throw createError(
      'ALULA_INVALID_ARGUMENT',
      'The hashPassword hook hashes one field: expected options as its second argument'
    )
  }

  const path = field.split('.')

  return async function hashPasswordOfData(context: HookContext, next?: NextFunction): Promise<void> {
    const { app, data, type } = context

    if (type === 'after' || type === 'error') {
      throw createError(
        'ALULA_MISPLACED_HOOK',
        'The hashPassword hook must be used as a before or around hook'
      )
    }

    if (data !== undefined) {
      const strategy = getHashingStrategy(app, options.authentication, options.strategy)

      if (Array.isArray(data)) {
        assertMulti(context)

        const hashed: unknown[] = []

        // One after the other, so that one call does not block the logins of other users.
        for (const item of data) hashed.push(await hashField(item, path, strategy, context))

        context.data = hashed
      } else context.data = await hashField(data, path, strategy, context)
    }

    return typeof next === 'function' ? next() : undefined
  }
}

/** Refuses what an adapter would refuse, with the same errors, because hashing takes long. */
function assertMulti({ service, method, id, params }: HookContext): void {
  if (method === 'update') {
    throw new BadRequest("You can not replace multiple instances. Did you mean 'patch'?")
  }
  if ((method === 'create' || id === null) && service?.allowsMulti?.(method, params) === false) {
    throw new MethodNotAllowed(`Can not ${method} multiple entries`)
  }
  if (method === 'patch') throw new BadRequest('Invalid data: expected an object, got an array')
}

/**
 * A resolver for a property of a schema that hashes its value.
 *
 * @param options The path of the authentication `service` and the name of the `strategy`
 * @returns A function for `resolve({ password: … })`; it throws BadRequest for a password that is refused
 */
export function passwordHash(options: { service?: string; strategy: string }) {
  return async function resolvePasswordHash(
    value: string | undefined,
    _data: unknown,
    context: HookContext
  ): Promise<string | undefined> {
    if (value === undefined) return value

    const { service, strategy } = options

    return hashWith(getHashingStrategy(context.app, service, strategy), value, context)
  }
}

interface HashingStrategy {
  hashPassword(password: unknown, params: unknown, isAborted: () => boolean): Promise<string>
}

async function hashField(
  item: unknown,
  path: readonly string[],
  strategy: HashingStrategy,
  context: HookContext
): Promise<unknown> {
  const password = getPath(item, path)

  if (password === undefined) return item

  return copyWithValue(copyPlain(item) as object, path, await hashWith(strategy, password, context))
}

/** Copies the objects on a path that {@link getPath} has found. Those of classes keep their class: the caller has the originals. */
function copyWithValue(source: object, [name, ...path]: readonly string[], value: unknown): object {
  const copy = isPlainObject(source)
    ? copyWith(source)
    : Object.setPrototypeOf({ ...source }, Object.getPrototypeOf(source))

  setOwn(copy, name as string, path.length > 0 ? copyWithValue(copy[name as string], path, value) : value)

  return copy
}

function hashWith(
  strategy: HashingStrategy,
  password: unknown,
  { params, http }: HookContext
): Promise<string> {
  return strategy.hashPassword(password, params, () => http?.isAborted === true)
}

function getHashingStrategy(
  app: HookContext['app'],
  path: string | undefined,
  name = 'local'
): HashingStrategy {
  const auth = app.defaultAuthentication?.(path)

  if (typeof auth?.getStrategies !== 'function') {
    throw new BadRequest('Could not find an authentication service to hash password')
  }

  const [strategy] = auth.getStrategies(name)

  if (typeof strategy?.hashPassword !== 'function') {
    throw new BadRequest(`Could not find '${name}' strategy to hash password`)
  }

  return strategy
}
