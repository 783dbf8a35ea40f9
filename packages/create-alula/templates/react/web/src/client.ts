import { alula, authentication, type ClientServices, socketio } from 'alula/client'
import { io } from 'socket.io-client'
import type { Services } from '../../src/declarations.ts'
// The files of the services add to `Services`.
import type {} from '../../src/services.ts'

/** The server that the page came from. Calls and events use one connection. */
export const socket = io()

type Remote = ClientServices<Services>

export const client = alula<Remote>()
  .configure(socketio(socket, { timeout: 5000 }))
  .configure(authentication())

export const notes = client.service('notes')

export type Note = Awaited<ReturnType<Remote['notes']['get']>>
