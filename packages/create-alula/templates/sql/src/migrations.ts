import { readdir } from 'node:fs/promises'
import { type Migration, Migrator } from 'kysely'
import { db } from './database.ts'

const FOLDER = new URL('migrations/', import.meta.url)

/**
 * Runs the files in `migrations` that have not run on this database, in the order of their names.
 *
 * @returns The names of the migrations that this call has run
 */
export async function migrate(): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: readMigrations } })
  const { error, results = [] } = await migrator.migrateToLatest()

  if (error) throw error

  return results.map(({ migrationName }) => migrationName)
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = await readdir(FOLDER)
  const migrations = files.map(async (file) => [
    file.replace(/\.[jt]s$/, ''),
    await import(new URL(file, FOLDER).href)
  ])

  return Object.fromEntries(await Promise.all(migrations))
}
