import { access } from '../../../src/access.ts'
import { memory } from '../../../src/memory.ts'
import { createApp, logIn } from './application.ts'

export const NOTES = { 1: { id: 1, text: 'a', ownerId: 1 }, 2: { id: 2, text: 'b', ownerId: 2 } }

/** The notes with some access, and those who call them. */
export async function createNotes(
  rules: Parameters<typeof access>[0],
  service: object = createStore(),
  schema?: any
) {
  const app = createApp()

  app.use('notes', service as any, { access: access(rules), ...schema })
  await app.setup()

  const { ada, grace, root } = await logIn(app)

  return {
    app,
    notes: app.service('notes') as any,
    nobody: { provider: 'rest' },
    ada: ada.params,
    grace: grace.params,
    root: root.params
  }
}

export function createStore() {
  return memory({ store: NOTES, multi: true, paginate: { default: 10 } })
}
