import type { ManifestLogin, ManifestStrategy } from '../manifest/login.ts'
import type { ManifestService } from '../manifest/services.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

/** Whether a service is the one that clients log in to. */
export function isLogin({ path }: ManifestService, login: ManifestLogin | undefined): boolean {
  return path === login?.path
}

/**
 * What a login takes, for each strategy.
 *
 * @param login How clients log in
 */
export function toLoginData(login: ManifestLogin | undefined): { schema: JsonSchema; isRequired: boolean } {
  return { schema: { anyOf: (login?.strategies ?? []).map(toCredentials) }, isRequired: true }
}

/** What a login and a logout return. */
export function toLoginResult(): JsonSchema {
  return {
    type: 'object',
    required: ['accessToken'],
    properties: { accessToken: { type: 'string' }, authentication: { type: 'object' } }
  }
}

/** A strategy that does not say what it takes may take anything. Names with dots lead into objects. */
function toCredentials({ name, fields }: ManifestStrategy): JsonSchema {
  const plain = fields.filter((field) => !field.includes('.'))

  return {
    type: 'object',
    required: ['strategy', ...plain],
    properties: {
      strategy: { type: 'string', enum: [name] },
      ...Object.fromEntries(plain.map((field) => [field, { type: 'string' }]))
    }
  }
}
