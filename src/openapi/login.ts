import type { ManifestLogin, ManifestSessions, ManifestStrategy } from '../manifest/login.ts'
import type { ManifestService } from '../manifest/services.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { CallData } from './body.ts'

/** Whether a service is the one that clients log in to. */
export function isLogin({ path }: ManifestService, login: ManifestLogin | undefined): boolean {
  return path === login?.path
}

/** What a login takes, for each strategy, and what refreshes one. */
export function toLoginData(login: ManifestLogin | undefined): CallData {
  const { strategies = [], sessions } = login ?? {}
  const asked = sessions ? toSessionFields(sessions) : {}
  const logins = strategies.map((strategy) => toCredentials(strategy, asked))

  const schema = { anyOf: sessions ? [...logins, toRefresh(sessions)] : logins }

  return { schema, form: schema, isRequired: true }
}

/** What a login and a logout return. A logout by a refresh token has no access token. */
export function toLoginResult(login: ManifestLogin | undefined, method: string): JsonSchema {
  const { sessions } = login ?? {}
  const isLogout = method === 'remove'

  return {
    type: 'object',
    ...(!(sessions && isLogout) && { required: ['accessToken'] }),
    properties: {
      accessToken: STRING,
      ...(sessions && !sessions.inCookie && !isLogout && { refreshToken: STRING }),
      authentication: { type: 'object' }
    }
  }
}

const STRING: JsonSchema = Object.freeze({ type: 'string' })

/** A strategy that does not say what it takes may take anything. Names with dots lead into objects. */
function toCredentials({ name, fields }: ManifestStrategy, asked: JsonSchema): JsonSchema {
  const plain = fields.filter((field) => !field.includes('.'))

  return {
    type: 'object',
    required: ['strategy', ...plain],
    properties: {
      strategy: toStrategyName(name),
      ...Object.fromEntries(plain.map((field) => [field, STRING])),
      ...asked
    }
  }
}

/** What a login says of its session: whether it begins one, and which one it replaces. */
function toSessionFields({ inCookie, always }: ManifestSessions): JsonSchema {
  return { ...(!always && { refresh: { type: 'boolean' } }), ...(!inCookie && { refreshToken: STRING }) }
}

function toRefresh({ inCookie }: ManifestSessions): JsonSchema {
  return {
    type: 'object',
    required: inCookie ? ['strategy'] : ['strategy', 'refreshToken'],
    properties: { strategy: toStrategyName('refresh'), ...(!inCookie && { refreshToken: STRING }) }
  }
}

function toStrategyName(name: string): JsonSchema {
  return { type: 'string', enum: [name] }
}
