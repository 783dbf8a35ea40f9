/** What is needed of `window.location`. */
export interface HashLocation {
  hash: string
  readonly pathname?: string
  readonly search?: string
}

interface PageHistory {
  readonly state: unknown
  replaceState?(state: unknown, title: string, url: string): void
}

/** Takes a value out of the hash of a URL as it stands there: out of `#name=value`, and also out of `#/page?name=value`. */
export function takeFromHash(location: HashLocation, name: string): string | null {
  const escaped = name.replace(/[^\w]/g, '\\$&')
  const pattern = new RegExp(`(^#?|[?&])${escaped}=([^&]*)(&?)`)
  const match = pattern.exec(location.hash ?? '')

  if (!match) return null

  const [, before, value = '', after] = match
  const rest = location.hash.replace(pattern, before === '&' ? (after as string) : (before as string))

  setHash(location, rest.replace(/[#?]$/, ''))

  return value
}

/** The URL of the page; there is none on a server. */
export function getLocation(): HashLocation | undefined {
  return (globalThis as { window?: { location?: HashLocation } }).window?.location
}

function setHash(location: HashLocation, hash: string): void {
  const { location: current, history } =
    (globalThis as { window?: { location?: HashLocation; history?: PageHistory } }).window ?? {}

  // An assignment would leave the URL with the token in the history of the browser.
  if (location === current && typeof history?.replaceState === 'function') {
    history.replaceState(history.state, '', `${location.pathname}${location.search}${hash}`)
  } else {
    location.hash = hash
  }
}
