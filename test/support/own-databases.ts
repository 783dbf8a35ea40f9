// For `scripts/mutation.mjs`: its processes run the same tests beside each other, so each has databases of its own.

import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { MARIADB_URL, POSTGRES_URL } from './sql.ts'

/** A process that was ended leaves its databases to the next one with its number. */
const NAME = `alula_mutants_${process.env.STRYKER_MUTATOR_WORKER}`

export async function setup(): Promise<void> {
  await run(`drop database if exists ${NAME}`)
  await run(`create database ${NAME}`)
  process.env.POSTGRES_URL = toOwn(POSTGRES_URL)
  process.env.MARIADB_URL = toOwn(MARIADB_URL)
}

export async function teardown(): Promise<void> {
  await run(`drop database ${NAME}`)
}

async function run(statement: string): Promise<void> {
  const postgres = new Client(POSTGRES_URL)
  const mariadb = await createConnection(MARIADB_URL)

  await postgres.connect()

  try {
    await Promise.all([postgres.query(statement), mariadb.query(statement)])
  } finally {
    await Promise.all([postgres.end(), mariadb.end()])
  }
}

function toOwn(url: string): string {
  return Object.assign(new URL(url), { pathname: `/${NAME}` }).href
}
