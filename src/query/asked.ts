/** The paths that a query filters or sorts by, at any depth of `$or` and other operators. */
export function listAsked(query: object): readonly string[] {
  const levels = [query]
  const paths = new Set<string>()

  for (const level of levels) {
    for (const [name, value] of Object.entries(level)) {
      if (!name.startsWith('$') && !Array.isArray(level)) paths.add(name)
      else if (name !== '$select' && typeof value === 'object' && value !== null) levels.push(value)
    }
  }

  return [...paths]
}
