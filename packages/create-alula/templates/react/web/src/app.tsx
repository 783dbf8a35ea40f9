import { useEffect, useState } from 'react'
import { client } from './client.ts'
import { Login } from './login.tsx'
import { Notes } from './notes.tsx'

type State = 'starting' | 'logged in' | 'logged out'

export function App() {
  const [state, setState] = useState<State>('starting')

  useEffect(() => {
    const showNotes = () => setState('logged in')
    const showLogin = () => setState('logged out')

    client.on('login', showNotes)
    client.on('logout', showLogin)
    // The token of the last visit.
    client.reAuthenticate().then(showNotes, showLogin)

    return () => {
      client.off('login', showNotes)
      client.off('logout', showLogin)
    }
  }, [])

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
      {state === 'logged in' && <Notes />}
      {state === 'logged out' && <Login />}
    </main>
  )
}
