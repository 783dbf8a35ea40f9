import type { Application } from './declarations.ts'

const DEMO = { email: 'ada@example.com', password: 'correct horse' }

/** Creates the demo user. Records in memory are lost when the process ends. */
export async function seed(app: Application): Promise<void> {
  const user = await app.service('users').create(DEMO)

  await app.service('notes').create({ text: 'Buy milk' }, { user })
  console.log(`Log in as ${DEMO.email} / ${DEMO.password}`)
}
