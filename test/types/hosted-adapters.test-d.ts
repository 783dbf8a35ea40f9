// Hooks of services of the official adapters know data and results: helpers of these classes are no service methods.
import { KnexService } from '@feathersjs/knex'
import { MongoDBService } from '@feathersjs/mongodb'
import type { Application, HookContext } from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'

interface User {
  id: number
  email: string
}

interface UserData {
  email: string
}

interface Invitation {
  to: string
}

interface Invited {
  sent: boolean
}

class KnexUsers extends KnexService<User, UserData> {
  async invite(data: Invitation): Promise<Invited> {
    return { sent: data.to !== '' }
  }
}

class MongoUsers extends MongoDBService<User, UserData> {
  async invite(data: Invitation): Promise<Invited> {
    return { sent: data.to !== '' }
  }
}

// A service that is no adapter may have methods with these names.
class Reports {
  async get(id: number): Promise<User> {
    return { id, email: '' }
  }

  async createQuery(data: Invitation): Promise<Invited> {
    return { sent: data.to !== '' }
  }
}

type Context<S> = HookContext<Application, S>
type Data<S> = Context<S>['data']
type Result<S> = Context<S>['result']

expectType<UserData | Partial<UserData> | Invitation | undefined>().of({} as Data<KnexUsers>)
expectType<UserData | Partial<UserData> | Invitation | undefined>().of({} as Data<MongoUsers>)
expectType<Data<MongoUsers>>().of({} as Data<KnexUsers>)
expectType<Result<MongoUsers>>().of({} as Result<KnexUsers>)
expectType<Invitation | undefined>().of({} as Data<Reports>)
expectType<User | Invited | undefined>().of({} as Result<Reports>)

export const readUser = ({ data, result }: Context<KnexService<User, UserData>>): void => {
  if (data) expectType<string | undefined>().of(data.email)
  if (result && !Array.isArray(result) && !('total' in result)) expectType<User>().of(result)
}

export const readDocument = ({ data, result }: Context<MongoDBService<User, UserData>>): void => {
  if (data) expectType<string | undefined>().of(data.email)
  if (result && !Array.isArray(result) && !('total' in result)) expectType<User>().of(result)
}
