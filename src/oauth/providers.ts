// What is known of providers. What is peculiar to one stands in its entry and nowhere else.
import jwt from 'jsonwebtoken'
import { isString } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import type { CallbackQuery, OAuthProfile, ProviderSettings } from './types.ts'

const APPLE = 'authentication.oauth.apple'

/** What Apple has instead of a secret. */
const APPLE_CHECKS: OptionChecks = {
  teamId: [isString, "the id of the team, unless there is a 'secret'", 'required'],
  keyId: [isString, "the id of the key, unless there is a 'secret'", 'required'],
  privateKey: [isString, "the key from Apple, in PEM, unless there is a 'secret'", 'required']
}

/** What an entry may use to find out who has logged in. */
interface ProfileTools {
  readonly settings: ProviderSettings
  readonly query: CallbackQuery
  /** Gets JSON from the provider, with the access token. */
  get(url: string): Promise<unknown>
}

/** A provider that is known by its name. */
export interface Provider extends ProviderSettings {
  /** `false` where ID tokens come without the nonce that was asked for. */
  readonly nonce?: boolean
  /** Makes the secret of the client, where it is none that one can keep. Throws when it lacks what it makes it of. */
  createSecret?(settings: ProviderSettings): string
  /** Makes a profile of what the provider says, with `email_verified` where it is known. */
  toProfile?(profile: OAuthProfile, tools: ProfileTools): OAuthProfile | Promise<OAuthProfile>
}

/** The providers that need a key and a secret alone. */
export const providers: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  [
    'apple',
    {
      issuer: 'https://appleid.apple.com',
      scope: ['openid', 'name', 'email'],
      // With a scope it responds in no other way.
      custom_params: { response_mode: 'form_post' },
      token_endpoint_auth_method: 'client_secret_post',
      createSecret: createAppleSecret,
      // The name comes with the first login, beside the ID token. The claim may be a string.
      toProfile: (profile, { query }) => ({
        ...profile,
        ...toAppleName(query.user),
        email_verified: String(profile.email_verified) === 'true'
      })
    }
  ],
  [
    'discord',
    {
      authorize_url: 'https://discord.com/oauth2/authorize',
      access_url: 'https://discord.com/api/oauth2/token',
      profile_url: 'https://discord.com/api/users/@me',
      scope: ['identify', 'email'],
      toProfile: (profile) => ({ ...profile, email_verified: profile.verified === true })
    }
  ],
  [
    'facebook',
    {
      authorize_url: 'https://www.facebook.com/v23.0/dialog/oauth',
      access_url: 'https://graph.facebook.com/v23.0/oauth/access_token',
      profile_url: 'https://graph.facebook.com/v23.0/me?fields=id,name,email,picture',
      scope: ['public_profile', 'email'],
      scope_delimiter: ',',
      // It does not say whether an address was verified.
      toProfile: ({ email_verified, ...profile }) => profile
    }
  ],
  [
    'github',
    {
      authorize_url: 'https://github.com/login/oauth/authorize',
      access_url: 'https://github.com/login/oauth/access_token',
      profile_url: 'https://api.github.com/user',
      scope: ['read:user', 'user:email'],
      toProfile: toGithubProfile
    }
  ],
  ['gitlab', { issuer: 'https://gitlab.com' }],
  ['google', { issuer: 'https://accounts.google.com' }],
  [
    'linkedin',
    {
      issuer: 'https://www.linkedin.com/oauth',
      nonce: false,
      token_endpoint_auth_method: 'client_secret_post'
    }
  ],
  [
    'microsoft',
    {
      issuer: 'https://login.microsoftonline.com/common/v2.0',
      // Tenant admins can set any address, so it is never trusted.
      toProfile: ({ email_verified, ...profile }) => profile
    }
  ],
  [
    'x',
    {
      authorize_url: 'https://x.com/i/oauth2/authorize',
      access_url: 'https://api.x.com/2/oauth2/token',
      profile_url: 'https://api.x.com/2/users/me?user.fields=profile_image_url,confirmed_email',
      scope: ['tweet.read', 'users.read', 'users.email'],
      token_endpoint_auth_method: 'client_secret_basic',
      toProfile: ({ data: { confirmed_email: email, ...profile } }) =>
        email ? { ...profile, email, email_verified: true } : profile
    }
  ]
])

/** The profile shows an address only when it is public, and says nothing of it. */
async function toGithubProfile(
  profile: OAuthProfile,
  { settings, get }: ProfileTools
): Promise<OAuthProfile> {
  const { email, email_verified, ...others } = profile
  const emails = await get(`${settings.profile_url}/emails`).catch((error) => {
    // Without the scope there are none. During an outage, a user who has an account would get another one.
    if (![403, 404].includes(error.status)) throw error
  })
  const primary = Array.isArray(emails) ? emails.find((candidate) => candidate?.primary) : undefined

  if (primary) return { ...others, email: primary.email, email_verified: primary.verified === true }

  return email ? { ...others, email } : others
}

/** Apple wants a token that is signed with the key of a team instead of a secret. */
function createAppleSecret({ key, secret, teamId, keyId, privateKey }: ProviderSettings): string {
  if (secret) return secret

  assertOptions(APPLE, { teamId, keyId, privateKey }, APPLE_CHECKS)

  try {
    return jwt.sign({}, privateKey, {
      algorithm: 'ES256',
      keyid: keyId,
      issuer: teamId,
      subject: key as string,
      audience: 'https://appleid.apple.com',
      expiresIn: '5m'
    })
  } catch (cause) {
    throw createTypeError(
      'ALULA_INVALID_OPTION',
      `Invalid option 'privateKey' of ${APPLE}: expected the key from Apple, in PEM`,
      {
        cause
      }
    )
  }
}

function toAppleName(user: unknown): { name?: string } {
  try {
    const { firstName, lastName } = JSON.parse(String(user)).name
    const name = [firstName, lastName].filter((part) => typeof part === 'string').join(' ')

    return name === '' ? {} : { name }
  } catch {
    return {}
  }
}
