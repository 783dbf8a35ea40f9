// Which parts of a program its CPU time is spent in: folders of `src`, packages, and Node.
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'

/** In microseconds. */
const INTERVAL = 100

/** What a profile calls what belongs to no function. */
const ENGINE = { '(garbage collector)': 'garbage collector', '(program)': 'Node, native' }

/**
 * Starts a profile of this process.
 *
 * @returns Ends it, and resolves to the milliseconds of each part
 */
export async function startProfile() {
  const session = new Session()

  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL })
  await session.post('Profiler.start')

  return async () => {
    const { profile } = await session.post('Profiler.stop')

    session.disconnect()

    return toParts(profile)
  }
}

/** Divides a time into parts, as the samples of a profile are divided. */
export function divideTime(time, parts) {
  const all = Object.values(parts).reduce((sum, value) => sum + value, 0)

  return Object.fromEntries(Object.entries(parts).map(([part, value]) => [part, (value / all) * time]))
}

function toParts({ nodes, samples, timeDeltas }) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, toPart(callFrame)]))
  const parts = {}

  for (const [index, id] of samples.entries()) {
    const name = names.get(id)

    if (name !== undefined) parts[name] = (parts[name] ?? 0) + timeDeltas[index] / 1000
  }

  return parts
}

/** The part that a function belongs to; `undefined` where the process waits. */
function toPart({ functionName, url, lineNumber }) {
  if (functionName === '(idle)') return undefined
  if (functionName in ENGINE) return ENGINE[functionName]
  if (url === '') return 'Node, native'
  if (url.startsWith('node:')) return url.startsWith('node:_http') ? 'Node, HTTP' : 'Node, other'

  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules\/)/.exec(url) ?? []

  if (name !== undefined) return name

  return url.includes('/dist/') ? toFolder(url, lineNumber) : 'the application'
}

/** The sources of each line of a file of `dist`, by its URL. */
const files = new Map()

/** The folder of `src` that a line of `dist` comes from: esbuild has written the names of the files above what they hold. */
function toFolder(url, lineNumber) {
  const starts = files.get(url) ?? listStarts(url)
  const { folder } = starts.findLast(({ line }) => line <= lineNumber) ?? { folder: 'alula' }

  files.set(url, starts)

  return folder
}

function listStarts(url) {
  return readFileSync(fileURLToPath(url), 'utf8')
    .split('\n')
    .flatMap((text, line) => {
      const [, path] = /^\/\/ src\/(.+)\.ts$/.exec(text) ?? []

      return path === undefined ? [] : [{ line, folder: `alula, ${path.split('/')[0]}` }]
    })
}
