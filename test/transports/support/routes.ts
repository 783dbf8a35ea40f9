/** What a method got. */
export function show(method: string, data: unknown, { route, query }: any) {
  return { method, data: data === undefined ? 'none' : data, route, query }
}
