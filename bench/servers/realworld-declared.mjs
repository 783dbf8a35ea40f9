import { createApp } from '../../examples/realworld/dist/src/app.js'
import { openDatabase } from '../../examples/realworld/dist/src/database.js'

/** `examples/realworld`: everything is declared. */
export async function createServer() {
  const app = createApp(await openDatabase(process.env.DATABASE_URL))

  return app.listen(0)
}
