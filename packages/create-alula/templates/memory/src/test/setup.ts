import { createServer } from 'node:http'
import { afterAll } from 'vitest'
import { app } from '../app.ts'

// Sockets need a server, even one that does not listen.
await app.setup(createServer())

afterAll(() => app.teardown())
