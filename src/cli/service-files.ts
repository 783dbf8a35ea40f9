/** What is known of an application that `npm create alula` made. */
export interface Project {
  /** The folder of its sources. */
  readonly root: string
  readonly extension: 'ts' | 'js'
  readonly database: 'sqlite' | 'postgresql' | 'memory'
}

/** What a service is called in its files. */
export interface ServiceNames {
  /** Its path: `order-lines`. */
  readonly path: string
  /** Its table: `order_lines`. */
  readonly table: string
  /** The function that registers it: `orderLines`. */
  readonly factory: string
  /** A record: `OrderLine`. */
  readonly record: string
  /** Its schema: `orderLineSchema`. */
  readonly schema: string
}

type File = readonly [path: string, content: string]

/**
 * The files of a new service by path: records with a title, which belong to the user who creates them. `now` is the date for
 * the name of the migration.
 */
export function toServiceFiles(names: ServiceNames, project: Project, now: Date): File[] {
  const { root, extension, database } = project
  const stem = `${root}/${names.path}/${names.path}`
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[:T]/g, '-')
  const migration: File = [
    `${root}/migrations/${stamp}-${names.path}.${extension}`,
    toMigration(names, project)
  ]

  return [
    [`${stem}.schema.${extension}`, toSchema(names, project)],
    [`${stem}.${extension}`, toService(names, project)],
    [`${stem}.test.${extension}`, toTest(names, project)],
    ...(database === 'memory' ? [] : [migration])
  ]
}

function toSchema({ record, schema }: ServiceNames, { extension }: Project): string {
  const type = extension === 'ts' ? `export type ${record} = z.infer<typeof ${record}>\n\n` : ''

  return `import { assertAuthenticated } from 'alula/authentication'
import { onWrite, schema } from 'alula/schema'
import { z } from 'zod'

export const ${record} = z.object({
  id: z.int(),
  title: z.string().trim().min(1).max(200),
  ownerId: z.int(),
  createdAt: z.date(),
  updatedAt: z.date()
})

${type}export const ${schema} = schema(${record}, {
  // Clients cannot send these fields.
  server: {
    ownerId: (context) => {
      assertAuthenticated(context)

      return context.params.user.id
    },
    createdAt: () => new Date(),
    updatedAt: onWrite(() => new Date())
  }
})
`
}

function toService(
  { path, table, factory, record, schema }: ServiceNames,
  { extension, database }: Project
): string {
  const isTyped = extension === 'ts'
  const isSql = database !== 'memory'
  const adapter = isSql ? 'kysely' : 'memory'
  const options = isSql ? ['Model: db', `name: '${table}'`] : ['startId: 1']
  const types = isTyped ? `<${record}>` : ''
  const imports = [
    "import { access, owner } from 'alula/access'",
    `import { ${adapter} } from 'alula/${adapter}'`,
    ...(isTyped ? ["import type { ServiceOf } from 'alula/schema'"] : []),
    ...(isSql ? [`import { db } from '../database.${extension}'`] : []),
    ...(isTyped ? ["import type { Application } from '../declarations.ts'"] : []),
    `import { ${isTyped ? `type ${record}, ` : ''}${schema} } from './${path}.schema.${extension}'`
  ]

  return `${imports.join('\n')}
${isTyped ? toDeclarations({ path, table, record, schema }, isSql) : ''}
/** The ${path} of each user. */
export function ${factory}(app${isTyped ? ': Application' : ''})${isTyped ? ': void' : ''} {
  const store = ${adapter}${types}({
    ${options.join(',\n    ')},
    paginate: { default: 10, max: 50 }
  })

  app.use('${path}', store, {
    schema: ${schema},
    // Clients do not find the records of other users.
    access: access({ all: owner('ownerId') }),
    methods: ['find', 'get', 'create', 'patch', 'remove']
  })
  // Events are for all connections of the owner.
  app.service('${path}').publish(({ ownerId }${isTyped ? `: ${record}` : ''}) => app.channel(\`users/\${ownerId}\`))
}
`
}

function toDeclarations(
  { path, table, record, schema }: Omit<ServiceNames, 'factory'>,
  isSql: boolean
): string {
  const services = `
declare module '../declarations.ts' {
  interface Services {
    ${/-/.test(path) ? `'${path}'` : path}: ServiceOf<typeof ${schema}, 'find' | 'get' | 'create' | 'patch' | 'remove'>
  }
}
`

  return isSql
    ? `${services}
declare module '../database.ts' {
  interface Tables {
    ${table}: ${record}
  }
}
`
    : services
}

function toMigration({ table }: ServiceNames, { extension, database }: Project): string {
  const counted = database === 'postgresql' ? 'generatedByDefaultAsIdentity' : 'autoIncrement'
  const isTyped = extension === 'ts'

  return `${isTyped ? "import type { Kysely } from 'kysely'\n\n" : ''}export async function up(db${isTyped ? ': Kysely<unknown>' : ''})${isTyped ? ': Promise<void>' : ''} {
  await db.schema
    .createTable('${table}')
    .addColumn('id', 'integer', (column) => column.primaryKey().${counted}())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('ownerId', 'integer', (column) => column.notNull().references('users.id'))
    .addColumn('createdAt', 'timestamptz', (column) => column.notNull())
    .addColumn('updatedAt', 'timestamptz', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('${table}_owner').on('${table}').column('ownerId').execute()
}
`
}

function toTest({ path }: ServiceNames, { extension }: Project): string {
  return `import { createTestClient, loginAs } from 'alula-testing'
import { expect, it } from 'vitest'
import { app } from '../app.${extension}'
import { createSample, toSample } from '../test/samples.${extension}'
import { createUser } from '../test/users.${extension}'

it('a record belongs to the user who creates it', async () => {
  const user = await createUser()
  const sample = await toSample('${path}', user)
  const client = await loginAs(app, user)
  const response = await client.fetch('/${path}', { json: sample })

  expect(response.status).toBe(201)
  // As JSON: a time is a string in it.
  expect(await response.json()).toMatchObject({ ...JSON.parse(JSON.stringify(sample)), ownerId: user.id })
})

it('the records of others are not found', async () => {
  const { id } = await createSample('${path}', await createUser())
  const other = await loginAs(app, await createUser())

  expect((await other.fetch(\`/${path}/\${id}\`)).status).toBe(404)
  expect((await createTestClient(app).fetch(\`/${path}/\${id}\`)).status).toBe(401)
})
`
}
