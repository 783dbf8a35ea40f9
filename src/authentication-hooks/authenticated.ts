import { NotAuthenticated } from '../errors.ts'

/** A context whose params have the entity that `authenticate` puts there. */
export type Authenticated<
  Context extends { params: object },
  Entity extends keyof Context['params']
> = Context & {
  params: { [Name in Entity]-?: NonNullable<Context['params'][Name]> }
}

/**
 * Tells TypeScript in a hook after `authenticate` that the entity is on the params, and throws where it is not: where
 * `authenticate` is missing, is optional, or let a call from inside pass.
 *
 * @param context The context of the hook
 * @param entity The name of the entity on the params; `user` when left out
 * @throws NotAuthenticated when the params have none
 * @example
 * async (context: HookContext<Application, NoteService, 'create'>) => {
 *   assertAuthenticated(context)
 *   context.data.ownerId = context.params.user.id
 * }
 */
export function assertAuthenticated<Context extends { params: { user?: unknown } }>(
  context: Context
): asserts context is Authenticated<Context, 'user'>
export function assertAuthenticated<
  Context extends { params: object },
  Entity extends keyof Context['params'] & string
>(context: Context, entity: Entity): asserts context is Authenticated<Context, Entity>
export function assertAuthenticated(context: { params: object }, entity = 'user'): void {
  if (!(context.params as Record<string, unknown>)[entity]) throw new NotAuthenticated('Not authenticated')
}
