// Strategies: classes that extend ours, with the signatures of Feathers v5, and those without a class.
import {
  type AuthenticationBase,
  AuthenticationBaseStrategy,
  type AuthenticationParams,
  type AuthenticationRequest,
  type AuthenticationResult,
  AuthenticationService,
  type AuthenticationStrategy,
  type ConnectionEvent,
  createStrategy,
  type IncomingRequest,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import { type Application, alula, type Params, type Query } from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'

class TeamJwtStrategy extends JWTStrategy {
  override async getEntityQuery(params: Params) {
    return { ...(await super.getEntityQuery(params)), team: 'birds' }
  }

  override async getEntity(id: any, params: AuthenticationParams) {
    return { ...(await super.getEntity(id, params)), seen: true }
  }

  override async getEntityId(result: AuthenticationResult, _params: Params) {
    return result.authentication.payload.member
  }

  override async parse(request: IncomingRequest) {
    expectType<string | string[] | undefined>().of(request.headers.authorization)

    return request.headers['x-token'] ? super.parse(request) : null
  }

  override verifyConfiguration() {
    super.verifyConfiguration()
    if (!this.configuration.header) throw new Error(`${this.name} needs a header`)
  }
}

class InvitedLocalStrategy extends LocalStrategy {
  override async getEntityQuery(query: Query, params: Params) {
    return { ...(await super.getEntityQuery(query, params)), invited: true }
  }

  override async findEntity(username: string, params: Params) {
    return super.findEntity(username.toLowerCase(), params)
  }

  override async comparePassword(entity: any, password: string) {
    return super.comparePassword(entity, `${password}pepper`)
  }

  override async hashPassword(password: string, params: Params) {
    return super.hashPassword(`${password}pepper`, params)
  }

  override async authenticate(data: AuthenticationRequest, params: AuthenticationParams) {
    const result = await super.authenticate(data, params)

    expectType<AuthenticationResult>().of(result)

    return { ...result, remembered: Boolean(data.remember) }
  }
}

class ApiKeyStrategy extends AuthenticationBaseStrategy {
  async authenticate(authentication: AuthenticationRequest, _params: AuthenticationParams) {
    expectType<Application | undefined>().of(this.app)
    expectType<AuthenticationBase | undefined>().of(this.authentication)
    expectType<string | undefined>().of(this.name)
    expectType<any>().of(this.configuration)

    const { entity } = this.configuration

    return {
      authentication: { strategy: this.name },
      [entity]: await this.entityService.get(authentication.key)
    }
  }

  async handleConnection(name: ConnectionEvent, to: any, result?: AuthenticationResult) {
    if (name === 'login') to.key = result?.key
  }
}

class Wrong extends LocalStrategy {
  // @ts-expect-error -- a password is hashed to a text
  override async hashPassword(_password: string) {
    return 5
  }
}

const authentication = new AuthenticationService(alula())

authentication.register('jwt', new TeamJwtStrategy())
authentication.register('local', new InvitedLocalStrategy())
authentication.register('key', new ApiKeyStrategy())
authentication.register('wrong', new Wrong())

// @ts-expect-error -- a strategy is an object
authentication.register('none', 'jwt')
// @ts-expect-error -- the result of a strategy is a promise
authentication.register('sync', { authenticate: () => ({}) })

// Strategies without a class.

const apiKey: AuthenticationStrategy = createStrategy(({ app: application, auth, name }) => {
  expectType<Application>().of(application)
  expectType<AuthenticationBase>().of(auth)
  expectType<string>().of(name)

  return {
    parse: async ({ headers }) =>
      headers['x-api-key'] ? { strategy: name, key: headers['x-api-key'] } : null,
    authenticate: async ({ key }, params) => {
      expectType<AuthenticationParams>().of(params)

      return { authentication: { strategy: name }, client: key }
    }
  }
})

authentication.register('apiKey', apiKey)

createStrategy(() => ({
  // @ts-expect-error -- headers are an object, whatever the transport
  parse: async ({ headers }) => headers.get('x-api-key')
}))
