import type { ManifestCredentials, ManifestLogin } from '../manifest/login.ts'
import { Names } from './names.ts'
import type { OpenApiDocument, OpenApiSecurity } from './types.ts'

const HOOK = 'hook authenticate('
const FRESH = 'fresh('

/** A way to send credentials, with the key of its scheme in the document. */
export interface NamedScheme extends ManifestCredentials {
  readonly key: string
}

/** What a document says of who may call a method. */
export interface Guard {
  /** In words for clients: names of functions and of fields say nothing to them. */
  readonly words: string
  /** The credentials that a call demands. */
  readonly security: readonly OpenApiSecurity[]
  /** Whether credentials matter to a call: only what `anyone` may call takes none. */
  readonly isAuthenticated: boolean
  /** Whether a caller with valid credentials may be refused: after a hook that authenticates, others may decide more. */
  readonly isGuarded: boolean
}

/** Describes who may call a method: `who` is as in the table of `exposure`. */
export function toGuard(who: string, schemes: readonly NamedScheme[]): Guard {
  const isAuthenticated = who !== 'anyone'

  return {
    words: describeWho(who),
    security: isAuthenticated ? toSecurity(who, schemes) : [],
    isAuthenticated,
    isGuarded: isAuthenticated && who !== 'user'
  }
}

/** Who may call a method, in words for clients. */
export function describeWho(who: string): string {
  if (who === 'anyone') return who

  const [, role] = /^role\('(.*?)'(?:, \{ field: '.*' \})?\)$/.exec(who) ?? []

  if (role !== undefined) return `users with the role '${role}'`
  if (who === 'user' || who.startsWith(HOOK)) return 'users'
  if (who.startsWith(FRESH)) return 'users who have logged in lately'

  return who.startsWith('owner(') ? 'owners of the record' : 'callers that the application lets pass'
}

function toSecurity(who: string, schemes: readonly NamedScheme[]): readonly OpenApiSecurity[] {
  if (schemes.length === 0) return []

  const named = [...who.matchAll(/'([^']*)'/g)].map(([, name]) => name)
  const accepted = who.startsWith(HOOK) ? schemes.filter(({ name }) => named.includes(name)) : schemes
  // Without any, a document would say that the method is open: a strategy may find its credentials elsewhere.
  const described = accepted.length > 0 ? accepted : schemes
  const required = described.map(({ key }) => ({ [key]: [] }))

  return requiresLogin(who) ? required : [{}, ...required]
}

/** The ways to send credentials, by the names of their strategies. */
export function toSecuritySchemes(
  schemes: readonly NamedScheme[]
): OpenApiDocument['components']['securitySchemes'] {
  return Object.fromEntries(
    schemes.map(({ key, header, scheme }) => [
      key,
      scheme && header.toLowerCase() === 'authorization'
        ? { type: 'http', scheme: scheme.toLowerCase() }
        : { type: 'apiKey', in: 'header', name: header }
    ])
  )
}

/** Of a function of the application it is not known. */
function requiresLogin(who: string): boolean {
  return who === 'user' || ['owner(', 'role(', FRESH, HOOK].some((prefix) => who.startsWith(prefix))
}

/** Gives each strategy the key of its scheme. The names of components have few characters, so two may become the same. */
export function nameSchemes(login: ManifestLogin | undefined): readonly NamedScheme[] {
  const keys = new Names()

  return (login?.credentials ?? []).map((one) => ({
    ...one,
    key: keys.take(one.name.replaceAll(/[^\w.-]/g, '_'))
  }))
}
