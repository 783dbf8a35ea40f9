// Requests that an operation has to take once, where random ones did not succeed.
import type { Application } from 'alula'
import { readLogin } from 'alula/plugin'
import type { Caller } from '../callers.ts'
import { loginAs } from '../client.ts'
import type { DocumentRequest, Operation, PathValues, RequestMaker } from '../document-requests.ts'
import { listPathParameters } from './paths.ts'

/** A request, and who makes it. */
export interface Attempt {
  readonly caller: Caller
  readonly request: DocumentRequest
}

/** What attempts are made of. */
export interface AttemptSources {
  readonly operation: Operation
  readonly maker: RequestMaker
  readonly callers: readonly Caller[]
  /** What the placeholders may be, the best last. */
  readonly known: readonly PathValues[]
  /** Makes the body that was given, and is awaited; missing where none was. */
  readonly toBody: (() => unknown) | undefined
}

/** So many bodies are made up for a record. */
const BODIES = 3

/** Makes requests as each caller for each record that is known, the last one first. */
export async function* listAttempts({
  operation,
  maker,
  callers,
  known,
  toBody
}: AttemptSources): AsyncGenerator<Attempt | undefined> {
  // Without a record, placeholders have what is made up.
  const all = known.length === 0 ? [{}] : known.toReversed()

  for (let round = 0; round < (!toBody && operation.requestBody ? BODIES : 1); round++) {
    for (const values of all) {
      for (const caller of callers) {
        const request = maker.reaching(values, await toBody?.())

        yield request && { caller, request }
      }
    }
  }
}

/** Whether an operation is a login or a logout. */
export function isOfLogin(app: Application, { tags }: Operation): boolean {
  return tags[0] === readLogin(app)?.path
}

/** Logs users in and out with their tokens: each has a login of its own, which no other request has. */
export async function listLoginAttempts(
  app: Application,
  users: readonly object[],
  operation: Operation,
  maker: RequestMaker
): Promise<readonly Attempt[]> {
  const names = listPathParameters(operation.path)
  const attempts = users.map(async (user, index) => {
    const client = await loginAs(app, user)
    const { accessToken } = client
    const values = Object.fromEntries(names.map((name) => [name, accessToken]))
    const request = operation.requestBody
      ? maker.reaching(values, { strategy: 'jwt', accessToken })
      : maker.reaching(values)

    return request && { caller: { name: toCallerName(index), entity: user, client }, request }
  })

  return (await Promise.all(attempts)).filter((attempt) => attempt !== undefined)
}

/** What a user is called in what is printed. */
export function toCallerName(index: number): string {
  return `users[${index}]`
}
