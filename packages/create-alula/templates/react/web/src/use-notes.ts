import { useEffect, useState } from 'react'
import { client, type Note, notes } from './client.ts'

/** The latest notes of the user. Events of the server keep them up to date. */
export function useNotes(): readonly Note[] {
  const [list, setList] = useState<readonly Note[]>([])

  useEffect(() => {
    const load = async () => {
      const { data } = await notes.find({ query: { $sort: { id: -1 }, $limit: 50 } })

      setList(data)
    }
    const add = (note: Note) => setList((list) => [note, ...list.filter(({ id }) => id !== note.id)])
    const replace = (note: Note) =>
      setList((list) => list.map((other) => (other.id === note.id ? note : other)))
    const drop = (note: Note) => setList((list) => list.filter(({ id }) => id !== note.id))

    notes.on('created', add).on('patched', replace).on('removed', drop)
    // Loads again after each login. The client logs in again when it reconnects: missed events are kept only for a while.
    client.on('login', load)
    load().catch(console.error)

    return () => {
      notes.off('created', add).off('patched', replace).off('removed', drop)
      client.off('login', load)
    }
  }, [])

  return list
}
