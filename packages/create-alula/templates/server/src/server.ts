import { app } from './app.ts'
import { config } from './config.ts'

await app.listen(config.PORT, config.HOST)

// Finishes the requests that are in flight.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.teardown())

console.log(`The API is at http://localhost:${config.PORT}/api`)
if (config.NODE_ENV !== 'production') console.log(`Open http://localhost:${config.PORT}/api/docs`)
