import { JsonText } from './json.ts'
import { type Remark, type Rewritten, unchanged } from './rewritten.ts'

/** Providers whose endpoints `alula/oauth` knows. `test/alula.test.ts` compares them. */
export const PRESETS: readonly string[] =
  'apple discord facebook github gitlab google linkedin microsoft x'.split(' ')

const SETTINGS: readonly string[] = ['redirect', 'origins', 'defaults']

/** Reads the JSON of a file of `@feathersjs/configuration`: a provider of logins without a preset needs its issuer. */
export function rewriteConfiguration(source: string): Rewritten {
  const json = new JsonText(source)
  const path = ['authentication', 'oauth']
  const remarks: Remark[] = []
  const changes: { line: number; text: string }[] = []

  for (const [name, provider] of json.entries(...path)) {
    const settings = json.entries(...path, name).map(([setting]) => setting)
    const isKnown = [...PRESETS, ...SETTINGS].includes(name) || provider.type !== 'object'

    if (isKnown || settings.includes('issuer') || settings.includes('authorize_url')) continue

    const subdomain = json.getString(...path, name, 'subdomain')
    const line = json.lineOf(...path, name)

    if (name === 'auth0' && subdomain !== undefined) {
      const issuer = `https://${subdomain}.auth0.com/`

      json.set([...path, name, 'issuer'], issuer)
      changes.push({ line, text: `auth0: + issuer ${issuer}` })
    } else {
      const text = `no preset '${name}': set 'issuer', or 'authorize_url', 'access_url' and 'profile_url'`

      remarks.push({ line, text, anchor: 'oauth' })
    }
  }

  return { ...unchanged(json.text), changes, remarks }
}
