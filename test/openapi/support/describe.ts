import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'vitest'
import { z } from 'zod'
import { type Application, alula } from '../../../src/index.ts'
import { toOpenApi } from '../../../src/openapi.ts'

export const INTEGER = { type: 'integer' }

/** The document of an application, which has to be a valid one. */
export async function describeApp(app: Application): Promise<any> {
  const document = toOpenApi(app)
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))

  expect(valid, JSON.stringify(errors)).toBe(true)

  return document
}

/** The document of one service. */
export async function describeService(service: object, options: object, path = 'notes'): Promise<any> {
  const app = alula()

  app.use(path, service as never, options as never)

  return await describeApp(app)
}

/** What a call takes. */
export const toBody = (operation: any) => operation.requestBody?.content['application/json'].schema

/** What a call returns. */
export const toResult = (operation: any, status = '200') =>
  operation.responses[status].content['application/json'].schema

export const toNames = (operation: any) => (operation.parameters ?? []).map(({ name }: any) => name)

export const Note = z.object({ id: z.int32(), text: z.string(), done: z.boolean().default(false) })
