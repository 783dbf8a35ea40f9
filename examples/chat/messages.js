import { authenticate } from 'alula/authentication'
import { BadRequest } from 'alula/errors'
import { assertJoined, toChannel } from './rooms.js'

/** Messages, each in a room. Members of the room read and write them, and receive new ones. */
export function messages(stores) {
  return (app) => {
    app.use('messages', stores.create('messages', { paginate: { default: 50, max: 100 } }), {
      methods: ['find', 'create']
    })

    app.service('messages').hooks({
      before: { all: [authenticate('jwt')], find: [onlyJoinedRoom], create: [pickMessage] }
    })

    app.service('messages').publish('created', ({ room }) => app.channel(toChannel(room)))
  }
}

/** One room at a time: `room` is a name and no condition. */
async function onlyJoinedRoom({ app, params }) {
  await assertJoined(app, params.query.room, params.user)
}

/** Who wrote is who the token says, whatever the data says. What clients send beyond these fields is not stored. */
async function pickMessage(context) {
  const { app, data, params } = context
  const { room, text } = data

  if (typeof text !== 'string' || text.trim() === '' || text.length > 2000) {
    throw new BadRequest("'text' has to be a string of 1 to 2000 characters")
  }

  await assertJoined(app, room, params.user)

  context.data = {
    // Made here, so that it is another one in every process.
    id: crypto.randomUUID(),
    room,
    text,
    author: params.user.email,
    createdAt: new Date().toISOString()
  }
}
