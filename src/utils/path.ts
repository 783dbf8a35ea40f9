/**
 * Removes all slashes at both ends of a path; slashes inside it stay.
 *
 * @param path A service path or the path of a URL
 */
export function stripSlashes(path: string): string {
  let start = 0
  let end = path.length

  while (start < end && path[start] === '/') start++
  while (end > start && path[end - 1] === '/') end--

  return path.slice(start, end)
}
