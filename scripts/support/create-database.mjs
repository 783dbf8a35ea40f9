import pg from 'pg'

const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test'

/**
 * Creates an empty database on the server of POSTGRES_URL.
 *
 * @param {string} name What its name says
 * @returns {Promise<{ url: string, drop: () => Promise<void> }>} Its address, and what removes it
 */
export async function createDatabase(name) {
  const database = `alula_${name.replaceAll('-', '_')}_${process.pid}`
  const execute = async (statement) => {
    const client = new pg.Client(POSTGRES_URL)

    await client.connect()
    await client.query(statement)
    await client.end()
  }
  const url = new URL(POSTGRES_URL)

  await execute(`create database ${database}`)
  url.pathname = database

  return { url: url.href, drop: () => execute(`drop database ${database} with (force)`) }
}
