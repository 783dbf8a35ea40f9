// `tsc --init` switches `exactOptionalPropertyTypes` on: an option that may be left out is not `undefined` by itself.
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const FILE = join(import.meta.dirname, 'exact-optional.ts')

const IMPORTS = `
import { AdapterBase, type NormalizedOptions, type AdapterOptions } from '../../src/adapter.ts'
import type { AuthenticationConfiguration, JwtOptions, JwtVerifyOptions } from '../../src/authentication.ts'
import express from '../../src/express.ts'
import { type Application, alula } from '../../src/index.ts'
import { kysely, type KyselyOptions, type KyselyService, table as toSchema, type Transaction } from '../../src/kysely.ts'
import { memory, type MemoryAdapter } from '../../src/memory.ts'
import { many, schema, type ServiceOf, typed } from '../../src/schema.ts'
import type { ColumnType, Generated, Insertable, Selectable } from 'kysely'
import { z } from 'zod'

const app = alula<any, { authentication: AuthenticationConfiguration }>()
const web = express(alula<any, { authentication: AuthenticationConfiguration }>())
const strategies = { authStrategies: ['jwt'] }
declare const isPublic: boolean
declare const stock: KyselyService<{ reserved: boolean }>
declare const transaction: Transaction | undefined

const Note = z.object({ id: z.int(), text: z.string(), done: z.boolean().default(false) })
type Note = z.infer<typeof Note>
const notes = schema(Note)
const related = schema(Note, { relations: { comments: many(typed<{ text: string; noteId: number }>('comments'), { to: 'noteId' }) } })
interface Row { id: Generated<number>; at: ColumnType<Date, Date | string>; price: ColumnType<string, string | number> }
const rows = toSchema<Row, 'at'>()
declare const Model: any
declare const declared: Application<{
  notes: ServiceOf<typeof notes>
  related: ServiceOf<typeof related>
  rows: ServiceOf<typeof rows>
}>
`

const ACCEPTED = [
  "app.set('authentication', { ...strategies, secret: process.env.SECRET, service: 'users', entity: 'user' })",
  "web.set('authentication', { ...strategies, secret: process.env.SECRET, service: 'users', entity: 'user' })",
  "app.set('authentication', { ...strategies, isActive: isPublic ? undefined : (user) => user.isActive })",
  "app.set('authentication', { ...strategies, service: process.env.SERVICE, entity: process.env.ENTITY })",
  "app.set('authentication', { ...strategies, entityId: undefined, parseStrategies: undefined })",
  "app.set('authentication', { ...strategies, jwtOptions: undefined, revocation: undefined })",
  'export const verifying: JwtVerifyOptions = { algorithm: process.env.ALGORITHM, clockTolerance: undefined }',
  'memory({ paginate: isPublic ? { default: 10 } : undefined, multi: isPublic ? true : undefined })',
  'memory({ id: process.env.ID, operators: undefined, filters: undefined, events: undefined })',
  'memory({ store: undefined, startId: undefined, indexes: undefined })',
  'memory({ predicates: undefined, matcher: undefined, sorter: undefined })',
  'stock.patch(1, { reserved: true }, { transaction })',
  "export const table = (Model: any): KyselyOptions => ({ Model, name: 'stock', schema: process.env.SCHEMA })",
  "app.use('stock', memory(), { methods: isPublic ? ['find'] : undefined, events: undefined, serviceEvents: undefined })",
  "web.use('stock', memory(), { methods: ['find'], routeParams: undefined, express: undefined, forms: undefined })",
  "web.use('stock', memory(), { express: { before: undefined, after: undefined } })",
  'export const name = (adapter: MemoryAdapter): string => adapter.options.id',
  'export const events = (options: NormalizedOptions<AdapterOptions>): readonly string[] => options.events',
  'export abstract class Own extends AdapterBase { list = (): readonly string[] => this.options.operators }',
  "declared.use('notes', memory<Note>({ paginate: { default: 10 } }), { schema: notes })",
  "declared.use('related', memory<Note>({ paginate: { default: 10 } }), { schema: related })",
  "declared.use('rows', kysely<Selectable<Row>, Insertable<Row>>({ Model, name: 'rows' }), { schema: rows })",
  "declared.service('notes').publish((note: Note) => declared.channel(note.text))",
  "declared.service('related').publish((note: Note) => declared.channel(note.text))",
  "declared.service('notes').on('created', (note: Note) => note.text)",
  "declared.service('notes').hooks({ before: { create: ({ data }) => { data.text.trim() } } })",
  "declared.service('notes').create({ text: 'a', done: undefined })"
]

/** The first is required, and the second refused by the run time. The last two are of another type. */
const REFUSED = [
  "app.set('authentication', { ...strategies, authStrategies: undefined })",
  'export const signing: JwtOptions = { audience: process.env.AUDIENCE }',
  "declared.use('notes', memory<{ id: number; text: number; done: boolean }>(), { schema: notes })",
  "declared.service('notes').publish((note: { text: number }) => declared.channel(String(note.text)))"
]

it('undefined is an option that is left out, where options are exact', () => {
  const lines = [...ACCEPTED, ...REFUSED]
  const errors = findErrors(lines)

  expect(lines.filter((_line, position) => errors.includes(position))).toEqual(REFUSED)
})

/** The positions of the lines that do not compile. */
function findErrors(lines: readonly string[]): number[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const exact = { ...options, exactOptionalPropertyTypes: true }
  const text = `${IMPORTS}${lines.join('\n')}\n`
  const host = ts.createCompilerHost(exact)
  const { fileExists, readFile } = host

  host.fileExists = (file) => file === FILE || fileExists(file)
  host.readFile = (file) => (file === FILE ? text : readFile(file))

  const program = ts.createProgram([FILE], exact, host)
  const source = program.getSourceFile(FILE) as ts.SourceFile
  const first = IMPORTS.split('\n').length - 1

  return program
    .getSemanticDiagnostics(source)
    .map(({ start = 0 }) => source.getLineAndCharacterOfPosition(start).line - first)
}
