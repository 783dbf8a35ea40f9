/** Removes all slashes at both ends of the path of a service or of a URL; slashes inside it stay. */
export function stripSlashes(path: string): string {
  const trimmed = stripTrailingSlashes(path)
  let start = 0

  while (trimmed[start] === '/') start++

  return trimmed.slice(start)
}

/** Removes all slashes at the end of a path or a URL. By hand: an expression can take time that grows with the square. */
export function stripTrailingSlashes(path: string): string {
  let end = path.length

  while (path[end - 1] === '/') end--

  return path.slice(0, end)
}

/** Turns the path under which something is mounted into what its requests begin with: `api/` becomes `/api`. */
export function toPrefix(path: string): string {
  const stripped = stripSlashes(path)

  return stripped === '' ? '' : `/${stripped}`
}

/** Removes what the path of a request begins with, as `toPrefix` has returned it; `null` when it does not. */
export function stripPrefix(path: string, prefix: string): string | null {
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return null

  return path.slice(prefix.length)
}
