import { alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'

export const outside = { provider: 'rest' }

/** The service `notes` of an application, with this declaration. */
export function open(declared: any, service: any = memory({ multi: true })): any {
  const app = alula()

  app.use('notes', service, { schema: declared })

  return app.service('notes')
}

/** The code and the errors that a call rejects with; nothing when it succeeds. */
export const failing = (call: Promise<unknown>): Promise<any> =>
  call.then(
    () => [],
    ({ code, errors }) => [code, errors]
  )
