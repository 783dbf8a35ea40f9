import { useCallback, useEffect, useState } from 'react'
import { client, socket } from './client.ts'
import { Login } from './login.tsx'
import { Notes } from './notes.tsx'
import { useConnected } from './use-connected.ts'

type State = 'starting' | 'logged in' | 'logged out' | 'no connection'

export function App() {
  const [state, setState] = useState<State>('starting')
  const isConnected = useConnected()

  const start = useCallback(async () => {
    try {
      // The token of the last visit.
      await client.reAuthenticate()
      setState('logged in')
    } catch (error) {
      const { code = 0 } = error as { code?: number }

      // Any other error says nothing about the token, which the client keeps.
      setState(code > 400 && code < 408 ? 'logged out' : 'no connection')
    }
  }, [])

  useEffect(() => {
    const showNotes = () => setState('logged in')
    const showLogin = () => setState('logged out')

    client.on('login', showNotes)
    client.on('logout', showLogin)
    socket.on('connect', start)
    start()

    return () => {
      client.off('login', showNotes)
      client.off('logout', showLogin)
      socket.off('connect', start)
    }
  }, [start])

  return (
    <main>
      <header>
        <h1>my-app</h1>
        {state === 'logged in' && (
          <button type="button" onClick={() => client.logout()}>
            Log out
          </button>
        )}
      </header>
      {state === 'logged in' && !isConnected && <p role="status">Connection lost</p>}
      {state === 'logged in' && <Notes />}
      {state === 'logged out' && <Login />}
      {state === 'no connection' && (
        <p role="alert">
          No connection{' '}
          <button type="button" onClick={start}>
            Try again
          </button>
        </p>
      )}
    </main>
  )
}
