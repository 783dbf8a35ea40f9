import { AuthenticationService, JWTStrategy, LocalStrategy } from '../../../src/authentication.ts'
import type { Application } from './declarations.ts'

declare module './declarations.ts' {
  interface ServiceTypes {
    authentication: AuthenticationService
  }
}

export const authentication = (app: Application) => {
  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())

  app.use('authentication', authentication)
}
