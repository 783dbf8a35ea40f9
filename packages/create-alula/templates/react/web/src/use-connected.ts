import { useSyncExternalStore } from 'react'
import { socket } from './client.ts'

/** Whether there is a connection to the server. The socket connects again by itself. */
export function useConnected(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => socket.connected,
    () => false
  )
}

function subscribe(listener: () => void): () => void {
  socket.on('connect', listener).on('disconnect', listener)

  return () => {
    socket.off('connect', listener).off('disconnect', listener)
  }
}
