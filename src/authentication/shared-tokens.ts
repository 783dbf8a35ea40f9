import type { AuthenticationBase } from './base.ts'
import { toSecrets } from './secret-keys.ts'
import type { AuthenticationConfiguration } from './types.ts'

/** Warns when the tokens of another service are valid here, and stand for entities of another kind. */
export function warnOfSharedTokens(
  { configKey, configuration }: AuthenticationBase,
  services: readonly any[]
): void {
  const other = services.find(
    (service) =>
      service.isReady &&
      typeof service.verifyAccessToken === 'function' &&
      service.configKey !== configKey &&
      service.configuration.service !== configuration.service &&
      hasSameTokens(service.configuration, configuration)
  )

  if (other) {
    process.emitWarning(
      `The authentication services of the settings '${other.configKey}' and '${configKey}' have the same secret and audience: ` +
        `a token of one opens what has the same id in the other. Give them different ones`,
      { code: 'ALULA_SHARED_TOKENS' }
    )
  }
}

function hasSameTokens(one: AuthenticationConfiguration, other: AuthenticationConfiguration): boolean {
  const audiences = [one, other].map(({ jwtOptions }) => [jwtOptions?.audience].flat())

  const secrets = toSecrets(other.secret)

  return (
    toSecrets(one.secret).some((secret) => secrets.includes(secret)) &&
    Boolean(audiences[0]?.some((name) => audiences[1]?.includes(name)))
  )
}
