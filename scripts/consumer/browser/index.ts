// What browsers can use compiles without the types of Node.
import { type Application, alula } from 'alula'
import { AdapterBase } from 'alula/adapter'
import { alula as createClient, rest } from 'alula/client'
import { BadRequest } from 'alula/errors'
import { createHandler } from 'alula/fetch'
import { compose } from 'alula/hooks'
import { memory } from 'alula/memory'
import { parseQuery } from 'alula/query'

interface Note {
  id: number
  text: string
}

const createNotes = () => memory<Note>()
const app: Application<{ notes: ReturnType<typeof createNotes> }> = alula()

app.use('notes', createNotes())
app.service('notes').on('created', (note) => console.log(note.text))
app.on('error', (error: Error) => console.error(error.message))

export { AdapterBase, BadRequest, compose, createClient, createHandler, parseQuery, rest }
