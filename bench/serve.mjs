// Runs one of the servers in a process of its own: node serve.mjs NAME [COUNT]. Its parent asks for what it has used.
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const [name, count] = process.argv.slice(2)
const { createServer } = await import(`./servers/${name}.mjs`)
const server = await createServer({ count: count === undefined ? undefined : Number(count) })

if (!server.listening) await once(server, 'listening')

/** How late timers are, where the parent has asked for that with `watch`. */
let delays
/** Ends the profile that the parent has asked for with `profile`. */
let endProfile

process.on('message', async (message) => {
  if (message === 'profile') {
    // Loaded when needed: what a server takes to start is measured too.
    const { startProfile } = await import('./profile.mjs')

    endProfile = await startProfile()
    process.send(true)

    return
  }
  if (message === 'endProfile') {
    process.send(await endProfile())

    return
  }
  if (message === 'watch') {
    delays = monitorEventLoopDelay({ resolution: 10 })
    delays.enable()

    return
  }

  const delay = delays && delays.max / 1e6
  const cpu = toMicroseconds(process.cpuUsage())

  // There when Node was started with `--expose-gc`.
  globalThis.gc?.()

  const { rss, heapUsed } = process.memoryUsage()

  process.send({ cpu, rss, heapUsed, delay })
})
// The benchmark is through with it, or was stopped.
process.on('disconnect', () => process.exit())
process.send(server.address().port)

/** User and system time: what the kernel does for a server is part of its price. */
function toMicroseconds({ user, system }) {
  return user + system
}
