// What the test and the script of killed writers have in common.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const WRITER = resolve(import.meta.dirname, '../kysely/writer.mjs')

/** How long a writer may write before it is killed, in milliseconds. */
const LONGEST_LIFE = 150

/**
 * Starts a process that writes to a table, and kills it at a random moment.
 *
 * @param {{ database: string, journal?: string, table: string, round: number }} target
 * @returns {Promise<Map<number, string>>} The names of the records that were acknowledged, by id
 */
export async function killWriter({ database, journal = 'delete', table, round }) {
  const child = spawn(process.execPath, [WRITER], {
    env: { ...process.env, DATABASE: database, JOURNAL: journal, TABLE: table, ROUND: String(round) },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const closed = once(child, 'close')
  let output = ''

  try {
    // Not before the first record: on a slow machine a process may need its life to come that far.
    const isWriting = new Promise((done) => {
      child.stdout.setEncoding('utf8').on('data', (text) => {
        output += text
        if (/^ready\n.*\n/.test(output)) done(true)
      })
    })

    if (!(await Promise.race([isWriting, closed.then(() => false)])))
      throw new Error('The writer ended by itself')

    // The moment is what this is about.
    await pause(Math.random() * LONGEST_LIFE)
  } finally {
    child.kill('SIGKILL')
  }

  const [, signal] = await closed

  if (signal !== 'SIGKILL') throw new Error(`The writer ended by itself\n${output}`)

  // A line that was not finished acknowledges nothing.
  const lines = output.slice(0, output.lastIndexOf('\n')).split('\n').slice(1)

  return new Map(lines.map((line) => line.split(' ')).map(([id, name]) => [Number(id), name]))
}

/**
 * What is wrong with a table after its writers were killed.
 *
 * @param {Map<number, string>} acknowledged The names by id
 * @param {readonly { id: number, name: string }[]} rows What is stored
 * @returns {string[]} A sentence for each fault
 */
export function findLosses(acknowledged, rows) {
  const stored = new Map(rows.map(({ id, name }) => [Number(id), name]))

  return [...acknowledged]
    .filter(([id, name]) => stored.get(id) !== name)
    .map(([id, name]) => `'${name}' with the id ${id} was acknowledged, and there is ${stored.get(id)}`)
}
