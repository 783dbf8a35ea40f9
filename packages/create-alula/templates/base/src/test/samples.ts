import { app } from '../app.ts'
import type { User } from '../users/users.schema.ts'

/** What a client sends to create a record. A function of the user makes data that names other records. */
type Sample = object | ((user: User) => object | Promise<object>)

/** A record of a sample. */
type SampleRecord = { readonly id: number } & { readonly [field: string]: unknown }

/**
 * The samples by service. The tests of access and of the document use them. A function is called for each record. Use
 * one for a field whose values are unique: `projects: () => ({ name: crypto.randomUUID() })`.
 */
export const samples: { [path: string]: Sample } = {
  notes: { text: 'Buy milk' }
}

/** The data of a sample, for a user. */
export async function toSample(path: string, user: User): Promise<object> {
  const sample = samples[path] ?? {}

  return typeof sample === 'function' ? await sample(user) : sample
}

/** Creates the sample of a service, by an internal call on behalf of a user. */
export async function createSample(path: string, user: User): Promise<SampleRecord> {
  return app.service(path as 'notes').create((await toSample(path, user)) as { text: string }, {
    user
  })
}
