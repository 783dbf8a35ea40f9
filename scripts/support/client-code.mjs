// The program of a client that is made for a document.

/** A call of a generated client, as TypeScript, and the same call of ours. */
export const toCall = (code, path, method, ...args) => ({ code, path, method, args })

/**
 * The program of a client, whose types are made of a document.
 *
 * @param {string} name The name of the document
 * @param {{ calls: readonly { code: string }[], types: readonly string[], mistakes: readonly string[] }} parts What it
 *   calls, lines that compile, and expressions that do not
 */
export function toProgram(name, { calls, types, mistakes }) {
  return `import createClient from 'openapi-fetch'
import type { paths } from '../types/${name}'

export const connect = (baseUrl: string, headers: Record<string, string>) => createClient<paths>({ baseUrl, headers })

type Client = ReturnType<typeof connect>

export const calls = [
${calls.map(({ code }) => `  (client: Client) => ${code}`).join(',\n')}
]

export async function compiles(client: Client): Promise<void> {
${types.map((line) => `  { ${line} }`).join('\n')}
}

export const mistakes = (client: Client): unknown[] => [
${mistakes.map((code) => `  // @ts-expect-error\n  ${code}`).join(',\n')}
]
`
}

const VERBS = ['get', 'put', 'post', 'delete', 'patch']

/**
 * What the client of any document can do, and what it must not.
 *
 * @param document The document
 * @param {readonly string[]} ownPaths The paths of services whose records it lists
 */
export function describeDocument({ paths }, ownPaths) {
  const calls = []
  const mistakes = ["client.GET('/nowhere' )"]

  for (const [path, operations] of Object.entries(paths)) {
    const service = path.slice(1)
    const url = JSON.stringify(path)

    for (const verb of VERBS) {
      if (!operations[verb]) mistakes.push(`client.${verb.toUpperCase()}(${url}, {} as any)`)
    }
    if (!operations.get || !ownPaths.includes(service)) continue

    calls.push(toCall(`client.GET(${url})`, service, 'find', {}))
    mistakes.push(`client.GET(${url}, { params: { query: { nowhere: 1 } } })`)
  }

  return { calls, types: [], mistakes }
}
