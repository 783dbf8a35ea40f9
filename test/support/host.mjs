// Runs the programs that `shareProcess` sends, each a module of its own, and says what they print.
import { format } from 'node:util'
import './login-check.mjs'

// The check does not keep its process running.
process.channel.ref()

/** What stands for `console` in each of them. */
globalThis.consoles = {}

process.on('message', async ({ id, url }) => {
  // A question of the check.
  if (url === undefined) return

  const tell = (message) => process.send({ id, ...message })

  globalThis.consoles[id] = { ...console, log: (...values) => tell({ text: format(...values) }) }

  try {
    await import(url)
    tell({ isFine: true })
  } catch (error) {
    console.error(error)
    tell({ isFine: false })
  }
})
