import type { LoginData, PageData } from '../../../src/openapi/page-data.ts'
import type { Identity } from './identity.ts'

/** All that is known of the application. */
export type AppData = LoginData & PageData

/** What every part of the page may need. */
export interface Page {
  readonly data: AppData
  readonly identities: readonly Identity[]
  /** The identity that makes the calls. */
  readonly identity: Identity
  /** Opens the form for the login of the identity that makes the calls. */
  readonly onLogin: () => void
}
