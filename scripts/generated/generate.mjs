// Makes the types of every document in `documents`.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'

mkdirSync('types', { recursive: true })

for (const file of readdirSync('documents')) {
  const types = await openapiTS(JSON.parse(readFileSync(`documents/${file}`, 'utf8')))

  writeFileSync(`types/${file.replace('.json', '.d.ts')}`, astToString(types))
}
