import { Kysely } from 'kysely'
import { createDialect } from './dialect.ts'

/** The tables by name. The file of each service adds its own. */
export interface Tables {}

export const db = new Kysely<Tables>({ dialect: createDialect() })
