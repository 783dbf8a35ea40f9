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
 * `authenticate` is missing, is optional, or let an internal call pass.
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
export function assertAuthenticated<
  Context extends { params: object },
  Entity extends keyof Context['params'] & string = keyof Context['params'] & 'user'
>(context: Context, entity: Entity = 'user' as Entity): asserts context is Authenticated<Context, Entity> {
  if (!context.params[entity as keyof typeof context.params]) throw new NotAuthenticated('Not authenticated')
}
