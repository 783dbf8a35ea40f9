import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { configureLogin } from './login.ts'

export const application = (): any => alula().use('messages', memory())

/** An application with an authentication service, not set up. */
export function createSecured(settings: object = {}): any {
  const app: any = alula()

  configureLogin(app, { settings })

  return app
}
