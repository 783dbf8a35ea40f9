import type { Application as AnyApplication } from 'alula'
import type { User } from './users/users.schema.ts'

/** The services by path. The file of each adds its own. */
export interface Services {}

export type Application = AnyApplication<Services>

declare module 'alula' {
  interface Params {
    /** The caller of an authenticated call. */
    user?: User
  }
}
