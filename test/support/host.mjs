// Runs the programs that `shareProcess` sends, each a module of its own, and says what they print.
import { format } from 'node:util'

/** What stands for `console` in each of them. */
globalThis.consoles = {}

process.on('message', async ({ id, url }) => {
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
