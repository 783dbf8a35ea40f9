import { authenticate } from 'alula/authentication'
import { BadRequest, Forbidden } from 'alula/errors'

/** Rooms that users join and leave. A room exists as long as it has members. */
export function rooms(stores) {
  return (app) => {
    // The members of each room. Clients cannot reach this service.
    app.use('memberships', stores.create('memberships'), { methods: [] })
    app.use('rooms', new RoomService(app.service('memberships')), {
      methods: ['find', 'join', 'leave'],
      events: ['joined', 'left']
    })

    app.service('rooms').hooks({
      before: { all: [authenticate('jwt')], join: [checkName], leave: [checkName] }
    })
    app.service('authentication').hooks({ after: { create: [joinChannels] } })

    // Publishers run in every process, wherever the call was made. So this is where all connections of a user, in all
    // tabs and on all devices, join the channel of a room and leave it.
    app.service('rooms').publish('joined', ({ room, user }) => {
      app.channel(toChannel(room)).join(...getConnections(app, user))

      return app.channel(toChannel(room))
    })
    app.service('rooms').publish('left', ({ room, user }) => {
      app.channel(toChannel(room)).leave(...getConnections(app, user))

      return app.channel(toChannel(room), `users/${user}`)
    })
  }
}

/** The name of the channel of a room. */
export function toChannel(room) {
  return `rooms/${room}`
}

/** @throws BadRequest for what is no name of a room, Forbidden for a room that the user has not joined */
export async function assertJoined(app, room, user) {
  assertName(room)

  try {
    await app.service('memberships').get(toId(room, user))
  } catch (error) {
    throw error.code === 404 ? new Forbidden(`You have not joined the room '${room}'`) : error
  }
}

class RoomService {
  constructor(memberships) {
    this.memberships = memberships
  }

  /** All rooms, with the number of their members. */
  async find({ user }) {
    const rooms = new Map()

    for (const { room, user: member } of await this.memberships.find()) {
      const { members, joined } = rooms.get(room) ?? { members: 0, joined: false }

      rooms.set(room, { name: room, members: members + 1, joined: joined || member === user.email })
    }

    return [...rooms.values()].sort((a, b) => a.name.localeCompare(b.name))
  }

  async join({ room }, { user }) {
    await this.memberships.create({ id: toId(room, user), room, user: user.email }).catch(ignore(409))
    this.emit('joined', { room, user: user.email })

    return { room }
  }

  async leave({ room }, { user }) {
    await this.memberships.remove(toId(room, user)).catch(ignore(404))
    this.emit('left', { room, user: user.email })

    return { room }
  }
}

async function checkName({ data }) {
  assertName(data.room)
}

function assertName(room) {
  if (typeof room === 'string' && /^[a-z0-9-]{1,30}$/.test(room)) return

  throw new BadRequest("'room' has to be a name of up to 30 small letters, digits and hyphens")
}

/** Neither part has a space in it. */
function toId(room, { email }) {
  return `${room} ${email}`
}

/** Before the response to a login is sent, so that the client misses no event. */
async function joinChannels({ app, params: { connection }, result: { user } }) {
  if (!connection) return

  const own = `users/${user.email}`

  // It may have been the connection of another user.
  if (!app.channel(own).connections.includes(connection)) {
    for (const name of app.channels) app.channel(name).leave(connection)
  }

  // First, so that a room that is joined meanwhile finds the connection.
  app.channel(own).join(connection)

  for (const { room } of await app.service('memberships').find({ query: { user: user.email } })) {
    app.channel(toChannel(room)).join(connection)
  }
}

function getConnections(app, user) {
  return app.channel(`users/${user}`).connections
}

/** Takes an error with this code for a success: what was to be done was done before. */
function ignore(code) {
  return (error) => {
    if (error.code !== code) throw error
  }
}
