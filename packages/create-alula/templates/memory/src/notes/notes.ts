import { access, owner } from 'alula/access'
import { memory } from 'alula/memory'
import type { ServiceOf } from 'alula/schema'
import type { Application } from '../declarations.ts'
import { type Note, noteSchema } from './notes.schema.ts'

declare module '../declarations.ts' {
  interface Services {
    notes: ServiceOf<typeof noteSchema, 'find' | 'get' | 'create' | 'patch' | 'remove'>
  }
}

/** The notes of each user. */
export function notes(app: Application): void {
  app.use('notes', memory<Note>({ startId: 1, paginate: { default: 10, max: 50 } }), {
    schema: noteSchema,
    // Clients do not find the notes of other users.
    access: access({ all: owner('ownerId') }),
    methods: ['find', 'get', 'create', 'patch', 'remove']
  })
  app.service('notes').publish((note: Note) => app.channel(`users/${note.ownerId}`))
}
