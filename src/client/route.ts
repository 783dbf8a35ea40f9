import { BadRequest } from '../errors.ts'

/**
 * Puts values, as in `params.route`, in place of the segments of a path that begin with a colon. `toSegment` may refuse one.
 * Throws BadRequest when a value is missing.
 */
export function fillPlaceholders(
  path: string,
  route: { readonly [name: string]: unknown } = {},
  toSegment: (value: string) => string
): string {
  return path.replace(/(^|\/):([^/]+)/g, (_match, slash: string, name: string) => {
    const value = Object.hasOwn(route, name) ? route[name] : undefined

    if (value === undefined || value === null || value === '') {
      throw new BadRequest(`Missing value for ':${name}' in params.route`)
    }

    return slash + toSegment(String(value))
  })
}
