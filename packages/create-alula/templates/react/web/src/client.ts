import { alula, authentication, type ClientRecord, type ClientServices, socketio } from 'alula/client'
import { io } from 'socket.io-client'
import type { Services } from '../../src/declarations.ts'
import type { noteSchema } from '../../src/notes/notes.schema.ts'
// The files of the services add to `Services`.
import type {} from '../../src/services.ts'

/** The server that the page came from. Calls and events use one connection. */
export const socket = io()

export const client = alula<ClientServices<Services>>()
  .configure(socketio(socket, { timeout: 5000 }))
  .configure(authentication())

export const notes = client.service('notes')

/** A note as the server sends it: its dates are strings. */
export type Note = ClientRecord<typeof noteSchema>
