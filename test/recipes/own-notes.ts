import { toModule } from '../support/page.ts'

/** Notes of their owners, of which nobody else gets events. Prints an access token of each of two users. */
export const OWN_NOTES = `
import { alula } from 'alula'
import { access, owner } from 'alula/access'
import { AuthenticationService, JWTStrategy } from 'alula/authentication'
import { BadRequest } from 'alula/errors'
import express, { errorHandler, rest } from 'alula/express'
import { memory } from 'alula/memory'
import { socketio } from 'alula/socketio'

const app = express(alula())

app.configure(rest())
app.configure(socketio())
app.set('authentication', {
  secret: process.env.SECRET, service: 'users', entity: 'user', authStrategies: ['jwt']
})

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
app.use('authentication', authentication)
app.use('users', memory({ startId: 1 }), { methods: [] })
app.use('notes', memory({ startId: 1, multi: ['remove'] }), { access: access({ all: owner('userId') }) })
app.service('notes').hooks({
  before: {
    create: [
      (context) => {
        if (!context.data.text) throw new BadRequest('A note needs a text')

        context.data = { ...context.data, userId: context.params.user.id }
      }
    ]
  }
})
app.service('notes').publish(({ userId }) => app.channel('users/' + userId))
app.on('login', ({ user }, { connection }) => {
  if (connection) app.channel('users/' + user.id).join(connection)
})
app.use(errorHandler())
await app.listen(3030)

const tokens = []

for (const name of ['ada', 'grace']) {
  const { id } = await app.service('users').create({ name })

  tokens.push(await authentication.createAccessToken({}, { subject: String(id) }))
}
console.log('tokens', ...tokens)`

/** The same application with further blocks, before it listens. */
export function extendOwnNotes(...blocks: readonly string[]): string {
  const [setUp, start] = OWN_NOTES.split(/^(?=app\.use\(errorHandler)/m) as [string, string]

  return toModule(setUp, ...blocks, start)
}
