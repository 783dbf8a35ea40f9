/**
 * The value that the path of a call has for a placeholder.
 *
 * @param route The values by placeholder, as `params.route` has them
 * @param placeholder The name of the placeholder
 * @returns `undefined` where there is none
 */
export function getPlaceholder(
  route: { readonly [name: string]: unknown } = {},
  placeholder: string
): unknown {
  return Object.hasOwn(route, placeholder) ? (route[placeholder] ?? undefined) : undefined
}
