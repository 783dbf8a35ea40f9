import { toOpenApi } from 'alula/openapi'
import { contractTests } from 'alula-testing'
import { afterAll, describe, it } from 'vitest'
import { app } from '../app.ts'
import { createSample, samples, toSample } from './samples.ts'
import { createUser } from './users.ts'

const user = await createUser()
const { paths } = toOpenApi(app)
const data: { [operation: string]: object } = {
  createAuthentication: { strategy: 'local', email: user.email, password: 'correct horse' }
}

for (const path of Object.keys(samples)) {
  const { operationId } = paths[`/${path}`]?.post ?? {}

  if (operationId) data[operationId] = () => toSample(path, user)
  await createSample(path, user)
}

describe('responses are as the OpenAPI document says', () => {
  contractTests(app, { describe, it, after: afterAll, users: [user], data })
})
