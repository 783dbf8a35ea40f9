import { ANONYMOUS, type Users } from '../callers.ts'
import type { ProofOptions } from '../exposure.ts'
import { getNamed, type Operation, toKey, toName } from './operation.ts'
import { parseWho, type Verdict } from './verdict.ts'

/** Who may make the calls of a method, and what they may have. */
export interface Right {
  readonly name: string
  readonly verdict: Verdict
}

/**
 * Finds the callers without whom nothing is proved of a method, one line for each: one who must succeed, and for a role and an
 * owner another user, who must not.
 */
export function listMissing(
  operation: Operation,
  rights: readonly Right[],
  users: Users,
  options: ProofOptions
): readonly string[] {
  const { service, name, who } = operation
  const { kind } = parseWho(who)
  const named = getNamed(operation, options)
  const logged = rights.filter((right) => right.name !== ANONYMOUS)
  const has = (one: Verdict['kind']) => logged.some(({ verdict }) => verdict.kind === one)
  const toLine = (lack: string, advice: string) =>
    `${toName(operation)}: the table says ${who}, and ${lack}. Give '${advice}'`

  if (named) {
    return named
      .filter((one) => !rights.some((right) => right.name === one))
      .map((one) => `${toName(operation)}: 'callers' names ${one}. Give 'users: { ${one}: … }'`)
  }

  switch (kind) {
    case 'function':
      return [
        toLine(
          'nothing else is known of it',
          `callers: { ${toKey(service.path)}: { ${toKey(name)}: ['owner'] } }`
        )
      ]
    case 'user':
      return has('allowed') ? [] : [toLine('no user calls', 'users: { user: … }')]
    case 'role':
      if (!has('allowed')) return [toLine('no user with the role calls', 'users: { admin: … }')]

      return has('refused') ? [] : [toLine('no user without the role calls', 'users: { user: … }')]
    case 'owner':
      if (!users.owner) return [toLine('no owner calls', 'users: { owner: … }')]

      return logged.length > 1 ? [] : [toLine('no other user calls', 'users: { user: … }')]
    default:
      return []
  }
}
