import { db } from './database.ts'
import { migrate } from './migrations.ts'

const names = await migrate()

console.log(names.length === 0 ? 'The database is up to date' : `Migrated: ${names.join(', ')}`)
await db.destroy()
