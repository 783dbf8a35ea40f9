import { app } from './app.ts'
import { config } from './config.ts'

const DEMO = { email: 'ada@example.com', password: 'correct horse' }

if (config.NODE_ENV === 'production') throw new Error('The demo user is not for production')

const users = app.service('users')
const { total } = await users.find({ query: { email: DEMO.email, $limit: 0 } })

if (total === 0) {
  const user = await users.create(DEMO)

  await app.service('notes').create({ text: 'Buy milk' }, { user })
}

console.log(`Log in as ${DEMO.email} / ${DEMO.password}`)
await app.teardown()
