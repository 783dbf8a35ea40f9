import type { Insertable, Selectable, Updateable } from 'kysely'
import type { FeathersService, HookContext, Params } from '../core/types.ts'
import { TRAITS } from '../hooks/traits.ts'
import type { AroundHook, Hook } from '../hooks/types.ts'
import { type SchemaDefinition, withParents } from '../schema/compile.ts'
import { CHECKS, type LongForm } from '../schema/declaration.ts'
import type { DescribedExtension, InnerExtension } from '../schema/declared.ts'
import { createExtension } from '../schema/enforce.ts'
import type { Envelope } from '../schema/envelope.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { OneRelation, Relations } from '../schema/relation.ts'
import { declare } from '../schema/schema.ts'
import type { SettingsFor } from '../schema/settings-type.ts'
import { isStandardSchema } from '../schema/standard.ts'
import { TIMESTAMPS } from '../schema/timestamps.ts'
import type { DeclaredSchema } from '../schema/types.ts'
import type { WireOf } from '../schema/wire-types.ts'
import { createReceive } from '../schema/wrap.ts'
import { hasCode, isObject } from '../utils/check.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { assertOptions } from '../utils/options.ts'
import { makeNullable, saysWhole } from './nullable.ts'
import type { AnyKyselyParams } from './options.ts'
import { isStoredService, type StoredField, type StoredService } from './stored-fields.ts'

/** What the columns of a table do not say. */
export interface TableSettings<Row = any>
  extends Omit<SettingsFor<Row>, 'ajv' | 'drift' | 'resolvers' | 'enforce'> {
  /** JSON Schemas for columns that hold less than their types say. Null is added where the column can be null. */
  readonly fields?: { readonly [Name in keyof Row]?: JsonSchema }
}

/** The types of a service whose schema is its table. */
export type TypesOfTable<Table, Server extends PropertyKey, E = undefined> = {
  readonly record: Selectable<Table>
  readonly stored: Selectable<Table>
  readonly create: Omit<Insertable<Table>, Server> &
    Partial<Pick<Insertable<Table>, Server & keyof Insertable<Table>>>
  readonly update: TypesOfTable<Table, Server>['create']
  readonly patch: WithoutUndefined<Updateable<Table>>
  // biome-ignore lint/complexity/noBannedTypes: no method
  readonly methods: {}
  /** Their names are not in the type. */
  readonly relations: { readonly [name: string]: OneRelation }
  readonly wire: WireOf<{ readonly envelope: E }>
  /** Their names are not in the type. */
  readonly hidden: never
  readonly reserved: Server
}

/** Fields that may be left out: with `exactOptionalPropertyTypes`, data with `undefined` fits no record. */
type WithoutUndefined<Data> = { [Name in keyof Data]?: Exclude<Data[Name], undefined> }

/** `SHARED`: what a table may have as a schema has it. */
const { record, create, update, patch, ajv, drift, resolvers, enforce, ...SHARED } = CHECKS

const TABLE_CHECKS: typeof CHECKS = {
  ...SHARED,
  fields: [isJsonSchemas, 'an object with a JSON Schema for each column']
}

/**
 * Declares a service by its table: the columns say which data, queries and results are valid. The table is read when the
 * application is set up, or with a call before that. Ajv checks the data.
 *
 * @param settings What the table does not say; the rest is as for `schema`
 * @returns What the option `schema` of `app.use` takes, for one service of `alula/kysely`
 * @throws TypeError for settings that are not valid
 * @example
 * const notes = table<Database['notes']>({ hidden: ['secret'], fields: { email: { format: 'email' } } })
 *
 * app.use('notes', kysely({ Model: db, name: 'notes' }), { schema: notes })
 */
export function table<
  Table = any,
  Server extends keyof Insertable<Table> = never,
  // What TypeScript infers together with a table that is named: nothing.
  const E extends Envelope | undefined = undefined
>(
  settings: TableSettings<Selectable<Table>> & { readonly envelope?: E } = {}
): DeclaredSchema<TypesOfTable<Table, Server, E>> {
  assertOptions('table()', settings, TABLE_CHECKS)

  return new TableSchema(settings)
}

class TableSchema implements DescribedExtension {
  inner?: InnerExtension
  readonly receive: DescribedExtension['receive']
  private readonly settings: TableSettings
  private service: (FeathersService & StoredService) | undefined
  private path = ''
  private app: object = {}
  private declared: DescribedExtension | undefined
  private isChecked = false

  constructor(settings: TableSettings) {
    this.settings = settings
    this.receive = createReceive(settings)
  }

  /** What the service checks, as plain data; there once the table was read. */
  get definition(): SchemaDefinition | undefined {
    return this.declared?.definition
  }

  get relations(): Relations | undefined {
    return this.settings.relations
  }

  get include(): readonly string[] | undefined {
    return this.settings.include
  }

  get narrowsFind(): boolean {
    return this.declared?.narrowsFind ?? true
  }

  install(service: FeathersService, path: string, app: object): void {
    if (!isStoredService(service)) {
      throw createTypeError(
        'ALULA_INVALID_SCHEMA',
        `The schema of service '${path}' is table(), which needs a service of alula/kysely: use schema() for others`
      )
    }
    if (this.service && this.service !== service) {
      throw createError(
        'ALULA_SHARED_SCHEMA',
        `The schema of service '${path}' is the table() of service '${this.path}': call table() for each`
      )
    }

    this.service = service
    this.path = path
    this.app = app
  }

  async setup(): Promise<void> {
    try {
      await this.check(await this.read({}))
    } catch (error) {
      // A database that is away, or has no such table, keeps no application from starting: its calls are errors.
      if (!hasCode(error, 'ALULA_MISSING_TABLE') && !hasCode(error, 503)) throw error
    }
  }

  async readDefinition({ transaction }: AnyKyselyParams): Promise<void> {
    await this.read({ transaction } as Params)
  }

  output(method: string): Hook<HookContext> {
    return this.onceLoaded((declared) => declared.output?.(method))
  }

  complete(method: string): Hook<HookContext> | undefined {
    if (!this.settings.computed && !this.settings.relations) return undefined

    return this.onceLoaded((declared) => declared.complete?.(method))
  }

  input(method: string): Hook<HookContext> {
    return this.onceLoaded((declared) => declared.input?.(method))
  }

  innermost(method: string): AroundHook<HookContext> {
    let hook: AroundHook<HookContext> | undefined

    return (context, next) => {
      // The hooks of `input` read the table. Where they have not run, a rule that is not known yet must not be kept as none.
      if (!this.declared) return next()

      hook ??= this.declared.innermost?.(method) ?? ((_context, proceed) => proceed())

      return hook(context, next)
    }
  }

  show(event: string, data: unknown, context: HookContext): unknown {
    if (this.declared) return this.declared.show?.(event, data, context)

    throw createError(
      'ALULA_NOT_SET_UP',
      `The service '${this.path}' sends the event '${event}' before its table was read: set the application up first`
    )
  }

  /** A hook that is made when the table is known. */
  private onceLoaded(
    make: (declared: DescribedExtension) => Hook<HookContext> | undefined
  ): Hook<HookContext> {
    let hook: Hook<HookContext> | undefined

    return (context) => {
      if (hook) return hook(context)

      return this.load(context.params).then((declared) => {
        hook ??= make(declared) ?? (() => undefined)

        return hook(context)
      })
    }
  }

  private async load(params: Params): Promise<DescribedExtension> {
    const declared = await this.read(params)

    if (this.isChecked) return declared

    // Comes after `read`, because a relation may lead back to this service.
    await this.inner?.setup?.(this.service as FeathersService, this.path, this.app, params)
    await this.check(declared)

    return declared
  }

  private async check(declared: DescribedExtension): Promise<void> {
    await declared.setup?.(this.service as FeathersService, this.path, this.app)
    this.isChecked = true
  }

  /** Every call reads by itself until one has: one that waited for another could hold the connection that it needs. */
  private async read(params: Params): Promise<DescribedExtension> {
    if (this.declared) return this.declared

    const service = this.service as FeathersService & StoredService
    const stored = await service[TRAITS].stored(params)

    if (!stored) throw createError('ALULA_MISSING_TABLE', `The table of service '${this.path}' is not there`)

    assertColumns(this.settings.fields ?? {}, stored, this.path)

    const declared = createExtension(declare(toForm(withParents(this.settings, service), stored)))

    declared.inner = this.inner
    declared.install?.(service, this.path, this.app)
    // Another call may have been faster.
    this.declared ??= declared

    return this.declared
  }
}

/** The long form of a service whose records have these fields. */
function toForm(
  { fields: refined = {}, ...settings }: TableSettings,
  stored: readonly StoredField[]
): LongForm {
  const made = stored
    .filter(({ isComputed, isChosen, isId }) => (isComputed || !isChosen) && !isId)
    .map(({ name }) => name)
  const server = { ...Object.fromEntries(made.map((name) => [name, undefined])), ...settings.server }
  const times = settings.timestamps ? TIMESTAMPS : []
  const omitted = [...Object.keys(server), ...times, ...Object.keys(settings.computed ?? {})]
  const created = stored.filter(({ name, isChosen }) => !omitted.includes(name) && isChosen)
  const required = created.filter(({ isRequired }) => isRequired)
  // Its path names the record that an update replaces.
  const kept = required.filter(({ isId }) => !isId)
  const toSchema = (field: StoredField, derived: JsonSchema): JsonSchema => {
    const own = refine(derived, refined[field.name])

    return field.isNullable === false ? own : makeNullable(own)
  }

  const create: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(created.map((field) => [field.name, toSchema(field, field.input)])),
    required: required.map(({ name }) => name)
  }

  return {
    ...settings,
    server,
    record: {
      type: 'object',
      properties: Object.fromEntries(stored.map((field) => [field.name, toSchema(field, field.output)])),
      required: stored.map(({ name }) => name)
    },
    create,
    ...(kept.length < required.length && { update: { ...create, required: kept.map(({ name }) => name) } })
  }
}

function refine(derived: JsonSchema, refined: JsonSchema | undefined): JsonSchema {
  if (!refined || saysWhole(refined)) return refined ?? derived

  return { ...derived, ...refined }
}

function assertColumns(refined: object, stored: readonly StoredField[], path: string): void {
  const names = stored.map(({ name }) => name)
  const missing = Object.keys(refined).find((name) => !names.includes(name))

  if (missing === undefined) return

  throw createTypeError(
    'ALULA_UNKNOWN_FIELD',
    `The table of service '${path}' has no column '${missing}', which 'fields' of table() names${didYouMean(missing, names)}`
  )
}

function isJsonSchemas(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((part) => isObject(part) && !isStandardSchema(part))
}
