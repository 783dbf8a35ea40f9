// One of several processes of an application whose clients repeat calls, with the store that the test names.

import { createServer } from 'node:http'
import { alula } from 'alula'
import { idempotency } from 'alula/idempotency'
import { kysely } from 'alula/kysely'
import { toListener } from 'alula/node'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

const { REDIS_URL, POSTGRES_URL, PREFIX, TABLE, STORE } = process.env
const app = alula()
const db = new Kysely({
  dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: POSTGRES_URL }) })
})

app.configure(
  idempotency({ store: STORE === 'Redis' ? { redis: REDIS_URL, prefix: PREFIX } : 'idempotency-keys' })
)
app.use('orders', kysely({ Model: db, name: TABLE, id: 'id' }))
if (STORE === 'PostgreSQL') {
  app.use('idempotency-keys', kysely({ Model: db, name: `${TABLE}_keys`, id: 'id' }), { methods: [] })
}

app.service('orders').hooks({
  after: {
    create: [
      ({ data }) => {
        if (data.item === 'a crash') process.kill(process.pid, 'SIGKILL')
      }
    ]
  }
})

await app.setup()

const server = createServer(toListener(app)).listen(0, '127.0.0.1', () => {
  process.send(`http://127.0.0.1:${server.address().port}`)
})
