/** The database that guides speak of, as statements of a program. */
export const DATABASE = `
export const { Kysely, SqliteDialect } = await import('kysely')
export const { default: SQLite } = await import('libsql')
export const database = new SQLite(':memory:')
export const db = new Kysely({ dialect: new SqliteDialect({ database }) })

database.exec(\`
  CREATE TABLE contacts (id INTEGER PRIMARY KEY, email TEXT NOT NULL, remark TEXT NOT NULL, createdAt DATETIME NOT NULL);
  CREATE TABLE notes (id INTEGER PRIMARY KEY, titel TEXT NOT NULL, done TEXT NOT NULL, text TEXT);
\`)
`
