// What an application with many services costs the compiler, with the declarations that a user gets. Build them first.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createReport } from './support/report.mjs'
import { mustRun } from './support/run.mjs'
import { createTempFolder } from './support/temp.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/** Another folder of declarations can be measured: `node scripts/type-budget.mjs <folder>`. */
const DECLARATIONS = resolve(process.argv[2] ?? join(ROOT, 'dist'))

const FEW = 100
const MANY = 300

/**
 * Instantiations for each of many services. It was 1520 when this was written, and the same in every run. An overload more
 * on every method stays within the budget; a type that reads all services for each of them takes 300 a step.
 */
const INSTANTIATIONS_PER_SERVICE = 1800

/**
 * How much more a service costs among many than among few. It was 1.0; a type that reads all services for each of them
 * several times comes to the ratio of the numbers, which is 3.
 */
const GROWTH = 1.4

/**
 * How many times as long as an empty project. It was 6 to 8. The processor is counted and not the clock, because the
 * machine may do other things, and even that differs by a half between two runs.
 */
const TIME_RATIO = 20

/**
 * Instantiations for each service that is declared by a schema of Zod, above those of its schemas alone. It was 2458
 * when this was written.
 */
const INSTANTIATIONS_PER_SCHEMA = 2500

/** The same for a service that has three relations as well, includes them and filters by them. It was 3594 when this was written. */
const INSTANTIATIONS_PER_RELATED = 4500

/** How much more that is among many than among few. */
const SCHEMA_GROWTH = 1.6

const report = createReport()
const folder = createTempFolder()
const costs = new Map()
/** What the schemas alone cost, by their number: both budgets are above that. */
const schemaCosts = new Map()

for (const size of [0, FEW, MANY]) {
  const name = size === 0 ? 'an empty project compiles' : `an application with ${size} services compiles`
  const isCompiled = await report.check(name, async () => {
    costs.set(size, await compile(createProject(size)))
  })

  if (!isCompiled) break
}

if (costs.size === 3) await checkCosts(costs.get(0), costs.get(FEW), costs.get(MANY))

await checkSchemas('', writeDeclared, INSTANTIATIONS_PER_SCHEMA)
await checkSchemas(' and relations', writeRelated, INSTANTIATIONS_PER_RELATED)

report.finish()

async function checkCosts(empty, few, many) {
  const ofFew = (few.instantiations - empty.instantiations) / FEW
  const ofMany = (many.instantiations - empty.instantiations) / MANY

  console.log()
  console.table(Object.fromEntries([...costs].map(([size, cost]) => [`${size} services`, toRow(cost)])))
  console.log()

  await report.check('instantiations per service', () =>
    assertWithin(Math.round(ofMany), INSTANTIATIONS_PER_SERVICE)
  )
  await report.check(`how much more that is among ${MANY} services than among ${FEW}`, () =>
    assertWithin(round(ofMany / ofFew), GROWTH)
  )
  await report.check('time, compared with an empty project', () =>
    assertWithin(round(many.seconds / empty.seconds), TIME_RATIO)
  )
}

async function checkSchemas(what, write, budget) {
  const perService = []

  for (const size of [30, MANY]) {
    await report.check(`an application with ${size} schemas${what} compiles`, async () => {
      if (!schemaCosts.has(size)) schemaCosts.set(size, compile(createProject(size, writeSchemas)))

      const alone = await schemaCosts.get(size)
      const whole = await compile(createProject(size, write))

      perService.push((whole.instantiations - alone.instantiations) / size)
    })
  }

  const [ofFew, ofMany] = perService

  await report.check(`instantiations per service with a schema${what}`, () =>
    assertWithin(Math.round(ofMany), budget)
  )
  await report.check(`how much more that is among ${MANY} services than among 30`, () =>
    assertWithin(round(ofMany / ofFew), SCHEMA_GROWTH)
  )
}

function toRow({ instantiations, types, seconds, megabytes }) {
  return { instantiations, types, 'seconds of the processor': round(seconds), 'memory in MB': megabytes }
}

function assertWithin(value, budget) {
  if (!(value <= budget)) {
    throw new Error(`It is ${value}, and the budget is ${budget}. 'tsc --generateTrace' says where it goes`)
  }

  return `${value} of ${budget}`
}

async function compile(project) {
  const counting = "process.on('exit', () => console.log('Processor time: ' + process.cpuUsage().user))"
  const output = await mustRun(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(counting)}`,
    TSC,
    '--project',
    project,
    '--extendedDiagnostics'
  ])

  return {
    instantiations: readFigure(output, 'Instantiations'),
    types: readFigure(output, 'Types'),
    seconds: readFigure(output, 'Processor time') / 1e6,
    megabytes: Math.round(readFigure(output, 'Memory used') / 1000)
  }
}

function readFigure(output, name) {
  const [, figure] = new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(output) ?? []

  if (figure === undefined) throw new Error(`The compiler does not say '${name}'`)

  return Number(figure)
}

function round(value) {
  return Math.round(value * 10) / 10
}

/** Writes an application with as many services, as the generator of Feathers v5 lays it out, and a client of it. */
function createProject(size, write = writeApplication) {
  const project = join(folder, `${write.name}-${size}`)
  const numbers = Array.from({ length: size }, (_, index) => index + 1)

  if (!existsSync(join(DECLARATIONS, 'index.d.ts'))) {
    throw new Error(`There are no declarations in ${DECLARATIONS}: npm run build`)
  }

  const files = {
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        target: 'es2023',
        lib: ['es2023', 'dom'],
        module: 'nodenext',
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
        strict: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: true,
        noEmit: true,
        paths: {
          zod: [join(ROOT, 'node_modules/zod/index.d.ts')],
          alula: [join(DECLARATIONS, 'index.d.ts')],
          'alula/*': [join(DECLARATIONS, '*.d.ts')]
        }
      }
    }),
    ...write(numbers)
  }

  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), content)
  }

  return project
}

function writeApplication(numbers) {
  return {
    'declarations.ts': writeDeclarations(),
    'app.ts': writeApp(numbers),
    'client.ts': writeClient(),
    ...Object.fromEntries(
      numbers.flatMap((number) => [
        [`services/notes${number}.class.ts`, number % 2 ? writeAdapter(number) : writeClass(number)],
        [`services/notes${number}.ts`, writeService(number)],
        [`pages/notes${number}.ts`, writePage(number)]
      ])
    )
  }
}

/** The schemas alone: what they cost is not ours. */
function writeSchemas(numbers) {
  const services = numbers.map((number) => [
    `services/notes${number}.ts`,
    `${writeRecord(number)}
export type Note${number} = z.infer<typeof Note${number}>
export type New${number} = z.input<typeof Note${number}>
`
  ])

  return Object.fromEntries(services)
}

/** Services that are declared by those schemas, and used. */
function writeDeclared(numbers) {
  return writeServices(numbers, () => '')
}

/** The same, each with three relations to others, which are included. */
function writeRelated(numbers) {
  return writeServices(numbers, (number) => {
    const [other, another] = [1, 2].map((step) => ((number + step - 1) % numbers.length) + 1)

    return `
import { count, many, one, typed } from 'alula/schema'
import type { Note${other} } from './notes${other}.js'
import type { Note${another} } from './notes${another}.js'

const relations = {
  parent: one(typed<Note${other}>('notes${other}'), { from: 'ownerId' }),
  children: many(typed<Note${another}>('notes${another}'), { to: 'ownerId' }),
  childCount: count('notes${another}', { to: 'ownerId' })
}

export async function include${number}(app: Application) {
  const { data } = await app.service('notes${number}').find({
    query: { 'parent.text${other}': 'a', $include: ['parent', 'children'], $sort: { childCount: -1 } }
  })
  const note = await app.service('notes${number}').get(1, { query: { $include: 'childCount' } })

  return [data[0]?.parent?.text${other}, data[0]?.children[0]?.text${another}, note.childCount]
}
`
  })
}

function writeServices(numbers, writeRelations) {
  const services = numbers.map((number) => {
    const relations = writeRelations(number)

    return [
      `services/notes${number}.ts`,
      `${writeRecord(number)}
import { MemoryService } from 'alula/memory'
import { onWrite, schema, type Query, type ServiceOf } from 'alula/schema'
import type { Application, HookContext } from '../declarations.js'
${relations}
export type Note${number} = z.infer<typeof Note${number}>
export const schema${number} = schema(Note${number}, {
  server: { ownerId: () => 1, at: onWrite(() => new Date()) }${relations && ', relations'}
})

declare module '../declarations.js' { interface ServiceTypes { notes${number}: ServiceOf<typeof schema${number}> } }

export class Notes${number} extends MemoryService<Note${number}> {}

export function notes${number}(app: Application) {
  app.use('notes${number}', new Notes${number}({ paginate: { default: 10 } }), { schema: schema${number} })
  app.service('notes${number}').hooks({
    before: { create: [(context) => { context.data.text${number}.trim() }] },
    after: { get: [async (context: HookContext<ServiceOf<typeof schema${number}>>) => { context.path }] }
  })
}

export async function use${number}(app: Application) {
  const query: Query<Note${number}> = { size: { $gt: 1 }, $sort: { size: 1 } }
  const { data } = await app.service('notes${number}').find({ query })
  const note = await app.service('notes${number}').create({ text${number}: 'a', tags: [] })

  await app.service('notes${number}').remove(null, { query: { done: true, $or: [{ size: 1 }, { ownerId: { $in: [1] } }] } })

  return [data[0]?.size, note.done]
}
`
    ]
  })

  return {
    'declarations.ts': `
import type { Application as AnyApplication, HookContext as AnyHookContext } from 'alula'

export interface ServiceTypes {}
export type Application = AnyApplication<ServiceTypes>
export type HookContext<S = any> = AnyHookContext<Application, S>
`,
    ...Object.fromEntries(services)
  }
}

function writeRecord(number) {
  return `
import { z } from 'zod'

export const Note${number} = z.object({
  id: z.int(), text${number}: z.string(), size: z.number().optional(), done: z.boolean().default(false),
  ownerId: z.number(), tags: z.array(z.string()), at: z.date()
})
`
}

function writeDeclarations() {
  return `
import type { HookContext as AnyHookContext, NextFunction } from 'alula'
import type { Application as AnyApplication } from 'alula/express'

export interface Configuration { port: number; paginate: { default: number; max: number } }
export interface ServiceTypes {}
export type Application = AnyApplication<ServiceTypes, Configuration>
export type HookContext<S = any> = AnyHookContext<Application, S>

export const logError = async (context: HookContext, next: NextFunction) => {
  try {
    await next()
  } catch (error: any) {
    console.error(error.stack, context.path)
    throw error
  }
}
`
}

function writeApp(numbers) {
  return `
import { feathers } from 'alula'
import express, { json, rest } from 'alula/express'
import type { Application } from './declarations.js'
${numbers.map((number) => `import { notes${number} } from './services/notes${number}.js'`).join('\n')}

export const app: Application = express(feathers())

app.use(json())
app.configure(rest())
${numbers.map((number) => `app.configure(notes${number})`).join('\n')}
`
}

function writeClient() {
  return `
import { type Application, alula, type ClientServices, rest } from 'alula/client'
import type { ServiceTypes } from './declarations.js'

export type Client = Application<ClientServices<ServiceTypes>>

export const client: Client = alula().configure(rest('http://localhost:3030').fetch(fetch))
`
}

function writeTypes(number, Params) {
  return `
export interface Note${number} { id: number; text${number}: string; size: number; ownerId: number; tags: string[] }
export type Note${number}Data = Pick<Note${number}, 'text${number}' | 'size' | 'tags'>
export type Note${number}Patch = Partial<Note${number}Data>
export interface Note${number}Query { text${number}?: string; size?: number | { $gt: number }; $limit?: number }
export interface Note${number}Params extends ${Params}<Note${number}Query> { tenant?: string }
`
}

function writeAdapter(number) {
  const types = `Note${number}, Note${number}Data, Note${number}Params, Note${number}Patch`

  return `
import type { AdapterParams } from 'alula/adapter'
import { MemoryService } from 'alula/memory'
${writeTypes(number, 'AdapterParams')}
export class Notes${number} extends MemoryService<${types}> {}
`
}

function writeClass(number) {
  const types = `Note${number}, Note${number}Data, Note${number}Params, Note${number}Patch`

  return `
import type { Id, NullableId, Params, ServiceInterface } from 'alula'
${writeTypes(number, 'Params')}
export class Notes${number} implements ServiceInterface<${types}> {
  notes: Note${number}[] = []

  async find(_params?: Note${number}Params): Promise<Note${number}[]> {
    return this.notes
  }

  async get(id: Id, _params?: Note${number}Params): Promise<Note${number}> {
    return this.notes[Number(id)]!
  }

  async create(data: Note${number}Data, _params?: Note${number}Params): Promise<Note${number}> {
    return { ...data, id: 1, ownerId: 1 }
  }

  async patch(id: NullableId, data: Note${number}Patch, params?: Note${number}Params): Promise<Note${number}> {
    return { ...(await this.get(id ?? 0, params)), ...data }
  }

  async remove(id: NullableId, params?: Note${number}Params): Promise<Note${number}> {
    return this.get(id ?? 0, params)
  }

  async archive(data: { before: Date }, _params?: Note${number}Params): Promise<{ count: number }> {
    return { count: data.before.getDate() }
  }
}
`
}

function writeService(number) {
  const options = number % 2 ? "{ paginate: app.get('paginate') }" : ''
  const methods = ['find', 'get', 'create', 'patch', 'remove', ...(number % 2 ? [] : ['archive'])]

  return `
import { type Application, type HookContext, logError } from '../declarations.js'
import { Notes${number} } from './notes${number}.class.js'

const setOwner = async (context: HookContext<Notes${number}>) => {
  for (const data of [context.data ?? []].flat()) Object.assign(data, { ownerId: context.params.tenant })
}

export const notes${number} = (app: Application) => {
  app.use('notes${number}', new Notes${number}(${options}), { methods: ${JSON.stringify(methods)}, events: [] })

  app.service('notes${number}').hooks({
    around: {
      all: [
        logError,
        async (context, next) => {
          context.params.query = { ...context.params.query, $limit: app.get('paginate').max }
          await next()
        }
      ]
    },
    before: { all: [], create: [setOwner], patch: [setOwner] },
    after: { find: [async (context) => void (await context.app.service('notes${number}').get(1, context.params))] },
    error: { all: [] }
  })
  app.service('notes${number}').publish('created', (_note, context) => app.channel(context.path))
}

declare module '../declarations.js' {
  interface ServiceTypes { notes${number}: Notes${number} }
}
`
}

function writePage(number) {
  const body = `
  const notes = await service.find({ query: { text${number}: 'Hello', $limit: 1 } })
  const note = await service.get(1)

  await service.create({ text${number}: note.text${number}, size: 'total' in notes ? 1 : 2, tags: [] })
  await service.patch(note.id, { text${number}: 'Hello' })
  service.on('created', (created: Note${number}) => created.size)

  return service.remove(note.id)
`

  return `
import type { Client } from '../client.js'
import type { Application } from '../declarations.js'
import type { Note${number} } from '../services/notes${number}.class.js'

export async function onServer(app: Application): Promise<Note${number}> {
  const service = app.service('notes${number}')
${body}}

export async function onClient(client: Client): Promise<Note${number}> {
  const service = client.service('notes${number}')
${body}}
`
}
