// For `scripts/test-databases.mjs`: the tests share the version of PostgreSQL that TEST_POSTGRES names, with a database
// whose locale is that of ICU. Tests that stop a PostgreSQL start the same version.
import { Client } from 'pg'
import { findPostgres, startPostgres } from './postgres.ts'

let stop = async () => {}

export async function setup(): Promise<void> {
  const bin = findPostgres(process.env.TEST_POSTGRES as string)

  process.env.POSTGRES_BIN = bin

  const { url } = await startPostgres(bin, (end) => {
    stop = end
  })
  const client = new Client(url)

  await client.connect()
  await client.query(
    "create database test template template0 encoding 'UTF8' locale_provider icu icu_locale 'en-US'"
  )
  await client.end()
  process.env.POSTGRES_URL = Object.assign(new URL(url), { pathname: '/test' }).href
}

export async function teardown(): Promise<void> {
  await stop()
}
