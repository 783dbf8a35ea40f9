// What an app adds to params and to applications, the types of alula know everywhere. The members are optional,
// because all type tests see them.
import express from '../../src/express.ts'
import { type Application, alula, type HookContext, type Params } from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'

interface Visitor {
  name: string
}

interface Mailer {
  send(text: string): Promise<void>
}

declare module '../../src/index.ts' {
  interface Params {
    visitor?: Visitor
  }

  interface Application {
    mailer?: Mailer
  }

  interface ServiceOptions {
    docs?: { description: string }
  }
}

interface GreetingParams extends Params<{ loud?: boolean }> {
  language?: string
}

class Greetings {
  async get(id: string, params?: GreetingParams): Promise<{ text: string }> {
    return { text: `${id} ${params?.visitor?.name}` }
  }
}

const app = alula<{ greetings: Greetings }>()
const visitor: Visitor = { name: 'Wren' }

expectType<Visitor | undefined>().of(({} as Params).visitor)
expectType<Mailer | undefined>().of(app.mailer)
expectType<Mailer | undefined>().of(express(app).mailer)

app.use('greetings', new Greetings(), { methods: ['get'], docs: { description: 'Says hello' } })

// @ts-expect-error -- a description is a text
app.use('greetings', new Greetings(), { docs: { description: 5 } })

app.service('greetings').hooks({
  before: {
    get: [
      async (context) => {
        expectType<Visitor | undefined>().of(context.params.visitor)
        expectType<string | undefined>().of(context.params.language)
        expectType<boolean | undefined>().of(context.params.query?.loud)
        await context.app.mailer?.send('Hello')
      }
    ]
  }
})

export async function greet(context: HookContext) {
  await context.app.mailer?.send('Hello')

  return app.service('greetings').get('hello', { visitor, language: 'en', query: { loud: true } })
}

export function send(application: Application) {
  return application.mailer?.send('Hello')
}

// @ts-expect-error -- a visitor has a name
app.service('greetings').get('hello', { visitor: {} })
