import type { Application, DefaultAuthentication } from '../core/types.ts'
import { isFunction, isString, isStringList } from '../utils/check.ts'

/** How clients of an application log in. */
export interface ManifestLogin {
  /** The path of the authentication service. */
  readonly path: string
  /** The strategies that create an access token. */
  readonly strategies: readonly ManifestStrategy[]
  /** The strategies that find credentials in the headers of a request. */
  readonly credentials: readonly ManifestCredentials[]
  /** How logins last; missing where they do not. */
  readonly sessions?: ManifestSessions
}

/** How clients refresh their logins. */
export interface ManifestSessions {
  /** Whether refresh tokens are in a cookie, and not in bodies. */
  readonly inCookie: boolean
  /** Whether every login begins a session, and not only one that asks for it. */
  readonly always: boolean
}

/** A strategy that takes credentials as data. */
export interface ManifestStrategy {
  readonly name: string
  /** The names of the fields that it takes, where its configuration names them. */
  readonly fields: readonly string[]
}

/** A strategy that takes credentials from a header. */
export interface ManifestCredentials {
  readonly name: string
  readonly header: string
  /** The scheme before the token, such as `Bearer`; missing for a header with the credentials alone. */
  readonly scheme?: string
}

/** The part of an authentication service that is read here. */
interface Readable extends DefaultAuthentication {
  readonly configuration: DefaultAuthentication['configuration'] & {
    readonly refresh?: { readonly cookie?: unknown; readonly always?: unknown }
  }
  getStrategy?(name: string): { readonly configuration?: unknown; readonly parse?: unknown } | undefined
}

interface Configuration {
  readonly header?: unknown
  readonly schemes?: unknown
  readonly usernameField?: unknown
  readonly passwordField?: unknown
}

/**
 * Reads the default authentication service of an application.
 *
 * @param app The application
 * @returns `undefined` where it has none
 */
export function readLogin(app: Application): ManifestLogin | undefined {
  const auth: Readable | null | undefined = app.defaultAuthentication?.()

  if (!auth) return undefined

  const { authStrategies, parseStrategies = authStrategies, refresh } = auth.configuration
  const path = Object.keys(app.services).find((one) => app.services[one] === auth) as string

  return {
    path,
    strategies: authStrategies.map((name) => ({ name, fields: readFields(auth, name) })),
    credentials: [...new Set(parseStrategies)].flatMap((name) => readCredentials(auth, name)),
    ...(refresh && { sessions: { inCookie: Boolean(refresh.cookie), always: Boolean(refresh.always) } })
  }
}

function readFields(auth: Readable, name: string): readonly string[] {
  const { usernameField, passwordField } = readConfiguration(auth, name)

  return [usernameField, passwordField].filter(isString)
}

function readCredentials(auth: Readable, name: string): readonly ManifestCredentials[] {
  if (!isFunction(auth.getStrategy?.(name)?.parse)) return []

  const { header, schemes } = readConfiguration(auth, name)
  const [scheme] = isStringList(schemes) ? schemes : []

  return [{ name, header: isString(header) ? header : 'Authorization', ...(scheme && { scheme }) }]
}

function readConfiguration(auth: Readable, name: string): Configuration {
  return (auth.getStrategy?.(name)?.configuration ?? {}) as Configuration
}
