import type { Library, Session, Setting } from './servers.ts'

/** A server, and what clients and the server itself do, by what it shows. */
export interface Script extends Setting {
  readonly title: string
  readonly act: (session: Session, library: Library) => unknown
}

export const notes = {
  find: async () => [{ id: 1 }, { id: 2 }],
  get: async (id: any) => ({ id }),
  create: async (data: any) => data,
  update: async (id: any, data: any) => ({ ...data, id }),
  patch: async (id: any, data: any) =>
    id === null ? [1, 2].map((n) => ({ ...data, id: n })) : { ...data, id },
  remove: async (id: any) => (id === null ? [{ id: 1 }, { id: 2 }] : { id })
}

/** Everybody hears of everything, as long as nothing else is said. */
export const all = (app: any) => app.channel('all')

export function everybody(app: any): void {
  app.on('connection', (connection: any) => all(app).join(connection))
}

/** Notes that `publish` says who hears of. */
export const published = (publish: (app: any, library: Library) => void, options: object = {}) => ({
  configure: (app: any, library: Library) => {
    everybody(app)
    app.use('notes', notes, options)
    publish(app, library)
  }
})

export const create = ['create', 'notes', { n: 1 }, {}] as const

/** What is noted on a connection. */
export const keysOf = (connection: any) => Object.keys(connection).sort()
