// How clients log in, as plain data for the page.
import type { ManifestLogin, ManifestStrategy } from '../manifest/login.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { type FormField, toFormFields } from './form-fields.ts'

/** How to log in. */
export interface PageLogin {
  /** The path of the authentication service. */
  readonly path: string
  readonly strategies: readonly PageStrategy[]
  /** The header that the access token is sent in. */
  readonly header: string
  /** What is before the token there: `Bearer ` mostly. */
  readonly prefix: string
}

/** A strategy that creates access tokens. */
export interface PageStrategy {
  readonly name: string
  /** The names of its credentials; `null` where they are not known. */
  readonly fields: readonly string[] | null
}

/** How to log in, for the page. */
export function toPageLogin({ path, strategies, credentials }: ManifestLogin): PageLogin {
  const token = credentials.find(({ name }) => name === 'jwt') ?? credentials[0]
  const { header = 'Authorization', scheme } = token ?? { scheme: 'Bearer' }

  return { path, strategies: strategies.map(toStrategy), header, prefix: scheme ? `${scheme} ` : '' }
}

/** The credentials of all strategies, as the fields of one form. */
export function toCredentialFields({ strategies }: ManifestLogin): readonly FormField[] | null {
  const names = new Set(strategies.map(toStrategy).flatMap(({ fields }) => fields ?? []))
  const credentials = [...names].map((name): [string, JsonSchema] => [name, { type: 'string' }])
  const strategy: JsonSchema = { type: 'string', enum: strategies.map(({ name }) => name) }
  const properties = Object.fromEntries([['strategy', strategy], ...credentials])

  return toFormFields({ type: 'object', required: ['strategy'], properties })
}

function toStrategy({ name, fields }: ManifestStrategy): PageStrategy {
  if (name === 'jwt') return { name, fields: ['accessToken'] }

  return { name, fields: fields.length > 0 ? fields : null }
}
