import { exposure } from 'alula/access'
import { proveExposure } from 'alula-testing'
import { expect, it } from 'vitest'
import { app } from '../app.ts'
import { createSample, samples, toSample } from './samples.ts'
import { createUser } from './users.ts'

it('clients have the access that exposure.json shows', async () => {
  const rows = exposure(app).map((row) => `  ${JSON.stringify(row)}`)

  // After a change of access, `npm test -- -u` writes the file. Review the difference.
  await expect(`[\n${rows.join(',\n')}\n]\n`).toMatchFileSnapshot('../../exposure.json')
})

it('each call allows these callers and no others', async () => {
  const owner = await createUser()
  const paths = Object.keys(samples)
  const records = paths.map((path) => [path, () => createSample(path, owner)])
  const data = paths.map((path) => [path, () => toSample(path, owner)])

  await proveExposure(app, {
    users: { user: await createUser(), owner },
    records: { ...Object.fromEntries(records), users: owner.id },
    data: {
      ...Object.fromEntries(data),
      users: () => ({ email: `${crypto.randomUUID()}@example.com`, password: 'correct horse' })
    }
  })
})
