import { setTimeout } from 'node:timers/promises'

/** How long nothing may happen before a road counts as walked to its end, in milliseconds. */
const QUIET_MILLISECONDS = 50

/** Stands for the store in a recording: what happens there is no file of alula. */
const STORE = '(store)'

let entries

globalThis.traceEntry = (file, name) => entries?.push({ file, name })

/** Writes into the recording that a method of the store begins or returns. */
export function markStore(name) {
  entries?.push({ file: STORE, name })
}

/**
 * Records which functions are entered while a request is made, and after it until all is quiet.
 *
 * @template T
 * @param {() => Promise<T>} request
 * @returns {Promise<{ result: T, entries: readonly { file: string, name: string }[] }>}
 */
export async function record(request) {
  entries = []

  const result = await request()
  let length

  do {
    length = entries.length
    await setTimeout(QUIET_MILLISECONDS)
  } while (entries.length > length)

  const recorded = entries

  entries = undefined

  return { result, entries: recorded }
}

/**
 * Counts a recording.
 *
 * @returns {{ calls: number, functions: number, files: number, filesWithoutUtils: number, before: object | null }}
 *   `calls` counts a function each time it is entered, `functions` once. `before` has the `calls` and `filesWithoutUtils`
 *   until the method of the store begins; it is null where the road does not record that
 */
export function count(entries) {
  const inside = entries.filter(({ file }) => file !== STORE)
  const start = entries.findIndex(({ file }) => file === STORE)
  const before = entries.slice(0, start)

  return {
    calls: inside.length,
    functions: new Set(inside.map(({ file, name }) => `${file}:${name}`)).size,
    files: countFiles(inside),
    filesWithoutUtils: countFiles(inside.filter(isAboveUtils)),
    before:
      start === -1
        ? null
        : { calls: before.length, filesWithoutUtils: countFiles(before.filter(isAboveUtils)) }
  }
}

/** A recording as text: a line for each stay in a file, with the functions that were entered there. */
export function formatEntries(entries) {
  const lines = []
  let last

  for (const { file, name } of entries) {
    if (file === last) lines.push(`${lines.pop()} > ${name}`)
    else lines.push(`  ${file}: ${name}`)
    last = file
  }

  return lines.join('\n')
}

function isAboveUtils({ file }) {
  return !file.startsWith('utils/')
}

function countFiles(entries) {
  return new Set(entries.map(({ file }) => file)).size
}
