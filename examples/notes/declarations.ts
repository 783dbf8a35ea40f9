import type { Application as AnyApplication } from 'alula/express'
import type { User } from './users.js'

/** The services by path. The file of each adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: the files of the services fill it
export interface Services {}

export type Application = AnyApplication<Services>

declare module 'alula' {
  interface Params {
    /** Who calls; there after `authenticate`. */
    user?: User
  }
}
