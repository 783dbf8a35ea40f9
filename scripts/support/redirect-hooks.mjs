// The hooks of redirect.mjs, which Node runs on a thread of their own.
let folders

export function initialize(data) {
  folders = data
}

export async function resolve(specifier, context, nextResolve) {
  const resolved = await nextResolve(specifier, context)

  if (!resolved.url.startsWith(folders.from)) return resolved

  return { ...resolved, url: folders.to + resolved.url.slice(folders.from.length) }
}
