import { alula, authentication, io, socketio } from './client.js'

// Without long-polling, which would need a proxy that leads each client to one process.
const socket = io({ transports: ['websocket'] })
const connection = socketio(socket)
const client = alula()

client.configure(connection)
client.configure(authentication({ storage: window.localStorage }))
// Methods that are none of the six have to be named on both sides.
client.use('rooms', connection.service('rooms'), { methods: ['find', 'join', 'leave'] })

const messages = client.service('messages')
const rooms = client.service('rooms')
const $ = (id) => document.getElementById(id)

let user
/** The rooms as the server knows them, by name. */
let known = new Map()
/** The name of the room that is shown. */
let current
/** The messages of that room by id: those of the history and those that come in meanwhile may be the same. */
let shown = new Map()
/** How many messages have come into the other rooms, by name. */
const unread = new Map()
/** Counts what was asked, so that an answer that comes late does not replace a newer one. */
let turns = 0

// Emitted after the first login, and whenever the connection was lost and is back.
client.on('login', (result) => {
  const isNew = !user

  user = result.user
  setText('user', user.email)
  $('login').reset()
  setView('chat')

  attempt('join-error', async () => {
    await refresh()
    if (isNew) $(current ? 'text' : 'room').focus()
  })
})

// By the button, or because the server has ended the session: then there is no result.
client.on('logout', (result) => showLogin(result ? '' : 'Your session has ended. Please log in again.'))

socket.on('connect', () => setText('connection', ''))
socket.on('disconnect', () => setText('connection', 'The connection is lost. Trying again …'))
socket.on('connect_error', () => setText('connection', 'The server cannot be reached. Trying again …'))

messages.on('created', (message) => {
  if (message.room === current) {
    showMessage(message)
  } else {
    unread.set(message.room, (unread.get(message.room) ?? 0) + 1)
    showRooms()
  }
})

rooms.on('joined', (event) => handleMembership(event, 'has joined'))
rooms.on('left', (event) => handleMembership(event, 'has left'))

onSubmit('login', 'login-error', async ({ email, password }, { submitter }) => {
  if (submitter?.value === 'sign-up') await client.service('users').create({ email, password })
  await client.authenticate({ strategy: 'local', email, password })
})

onSubmit('join', 'join-error', async ({ room }) => {
  // Before the call, not after it: another name may be typed meanwhile.
  $('join').reset()

  try {
    await joinRoom(room)
  } catch (error) {
    $('room').value ||= room
    throw error
  }
})

onSubmit('send', 'send-error', async ({ text }) => {
  $('send').reset()

  try {
    await messages.create({ room: current, text })
  } catch (error) {
    $('text').value ||= text
    throw error
  }
})

$('logout').addEventListener('click', () => attempt('join-error', () => client.logout()))
$('leave').addEventListener('click', () => attempt('send-error', () => rooms.leave({ room: current })))
window.addEventListener('hashchange', () => user && attempt('join-error', refresh))

// A token from before is in the storage, or there is none.
client.reAuthenticate().catch((error) => showLogin(error.code === 401 ? '' : error.message))

async function joinRoom(name) {
  await rooms.join({ room: name })

  // The address says which room is shown.
  history.pushState(null, '', `#${name}`)
  await refresh()
  $('text').focus()
}

/** Asks the server for the rooms, and for the messages of the one that is open. */
async function refresh() {
  await refreshRooms()

  const room = current

  if (!room) return

  const page = await messages.find({ query: { room, $sort: { createdAt: -1 } } })

  if (room !== current) return

  // Besides those that have come in meanwhile.
  for (const message of page.data) shown.set(message.id, message)
  showMessages()
}

async function refreshRooms() {
  const turn = ++turns
  const found = await rooms.find()

  if (turn !== turns) return

  const name = location.hash.slice(1)

  known = new Map(found.map((room) => [room.name, room]))
  openRoom(known.get(name)?.joined ? name : undefined)
  showRooms()
}

function openRoom(name) {
  if (name !== current) {
    shown = new Map()
    $('messages').replaceChildren()
  }

  current = name
  unread.delete(name)
  setText('send-error', '')
  setText('current-title', name ?? '')
  $('current').hidden = !name
  $('no-room').hidden = Boolean(name)
}

function showRooms() {
  const { members } = known.get(current) ?? {}
  const focused = document.activeElement.closest('#rooms li')?.dataset.room

  setText('members', members === 1 ? '1 member' : `${members} members`)
  $('rooms').replaceChildren(...[...known.values()].map(toRoomItem))
  // The elements were replaced: restore the focus for keyboard users.
  if (focused) $('rooms').querySelector(`[data-room="${focused}"] > *`)?.focus()
}

function toRoomItem({ name, joined }) {
  const item = create('li', {}, joined ? toRoomLink(name) : toJoinButton(name))

  item.dataset.room = name

  return item
}

function toRoomLink(name) {
  const link = create('a', { href: `#${name}`, textContent: name })
  const count = unread.get(name)

  if (name === current) link.setAttribute('aria-current', 'page')
  if (count) link.append(' ', create('span', { className: 'count', textContent: `${count} new` }))

  return link
}

function toJoinButton(name) {
  const button = create('button', { type: 'button', className: 'quiet', textContent: `Join ${name}` })

  button.addEventListener('click', () => attempt('join-error', () => joinRoom(name)))

  return button
}

/** The whole list is no news: it is not read out. */
function showMessages() {
  $('log').setAttribute('aria-busy', 'true')
  $('messages').replaceChildren(
    ...[...shown.values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt)).map(toMessageItem)
  )
  $('log').setAttribute('aria-busy', 'false')
  scrollToEnd()
}

function showMessage(message) {
  if (shown.has(message.id)) return

  shown.set(message.id, message)
  $('messages').append(toMessageItem(message))
  scrollToEnd()
}

/** What others have written is text and nothing else. */
function toMessageItem({ author, text, createdAt }) {
  const time = new Date(createdAt)

  return create(
    'li',
    { className: author === user.email ? 'message own' : 'message' },
    create('strong', { textContent: author }),
    create('time', {
      dateTime: createdAt,
      title: time.toLocaleString(),
      textContent: time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    }),
    create('p', { textContent: text })
  )
}

function handleMembership({ room, user: member }, what) {
  if (room === current && member !== user.email) {
    $('messages').append(create('li', { className: 'notice', textContent: `${member} ${what}` }))
    scrollToEnd()
  }

  attempt('join-error', refreshRooms)
}

function showLogin(message) {
  turns++
  user = undefined
  known = new Map()
  unread.clear()
  openRoom(undefined)
  showRooms()
  setText('login-error', message)
  setView('welcome')
  $('email').focus()
}

function setView(id) {
  for (const view of ['welcome', 'chat']) $(view).hidden = view !== id
}

/** Shows what goes wrong where it was done. */
async function attempt(errorId, action) {
  try {
    setText(errorId, '')
    await action()
  } catch (error) {
    setText(errorId, error.message)
  }
}

function onSubmit(formId, errorId, action) {
  $(formId).addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(errorId, () => action(Object.fromEntries(new FormData(event.target)), event))
  })
}

function create(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties)

  element.append(...children)

  return element
}

function setText(id, text) {
  $(id).textContent = text
}

function scrollToEnd() {
  $('log').scrollTop = $('log').scrollHeight
}
