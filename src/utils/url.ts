import { isLoopback } from './check.ts'

/** Whether what goes to a URL stays secret on its way. Plain HTTP is for tests on this machine. */
export function isSafeUrl(text: unknown): boolean {
  const url = typeof text === 'string' ? parseUrl(text) : undefined

  return url !== undefined && (url.protocol === 'https:' || isLoopback(url.hostname))
}

/** A URL of the web without a user name, or `undefined`. */
export function parseUrl(text: string, base?: string): URL | undefined {
  if (!URL.canParse(text, base)) return undefined

  const url = new URL(text, base)
  const isPage = /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''

  return isPage ? url : undefined
}

/** The text of a value of a URL; one with a mistake stays as it is. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
