// Runs one of the servers in a process of its own; rest.mjs forks it and asks for the CPU time it has used.
import { once } from 'node:events'

const { createServer } = await import(`./servers/${process.argv[2]}.mjs`)
const server = await createServer()

if (!server.listening) await once(server, 'listening')

process.on('message', () => process.send(toMicroseconds(process.cpuUsage())))
// The benchmark is through with it, or was stopped.
process.on('disconnect', () => process.exit())
process.send(server.address().port)

/** User and system time: what the kernel does for a server is part of its price. */
function toMicroseconds({ user, system }) {
  return user + system
}
