import { isStandardMethod } from '../core/methods.ts'
import type { FeathersService } from '../core/types.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { getFirstName } from '../utils/object.ts'
import { toNames } from './alternatives.ts'
import {
  getAjv,
  isQueryName,
  type LongForm,
  listHiddenFields,
  type SchemaSettings,
  toLongForm
} from './declaration.ts'
import { DECLARED, type Declaration } from './declared.ts'
import { toValidator } from './libraries.ts'
import type { OutputOf } from './output-type.ts'
import type { Checked, CheckedForm, SchemaAlone, SettingsFor } from './settings-type.ts'
import type { DeclaredSchema, TypesOf } from './types.ts'
import type { AnySchema } from './validator.ts'

/**
 * Declares a service in the long form, with a schema for each method that none can be derived for.
 *
 * @param form The schema of the record as `record`, those of `create`, `update` and `patch`, and the settings of the short form
 * @returns What the option `schema` of `app.use` takes
 * @throws TypeError for settings that are not valid, and for a schema that does not describe itself
 */
export function schema<const Form extends SchemaAlone | LongForm>(
  form: Form & CheckedForm<Form>
): DeclaredSchema<TypesOf<Form>>
/**
 * Declares what a service takes and what leaves it: the data, the queries and the results of every call, whichever way
 * it comes in.
 *
 * From a schema of the record it derives those for `create` (without the id and the fields of the server), `update` (the
 * same) and `patch` (the same, nothing required). Where the library cannot derive them, the long form has them all.
 *
 * @param record A schema of the record: Zod, Valibot, ArkType, Joi or any other Standard Schema that describes itself,
 * or a JSON Schema such as those of TypeBox
 * @param settings Fields of the server, hidden and computed fields, custom methods, queries
 * @returns What the option `schema` of `app.use` takes
 * @throws TypeError for settings that are not valid, and for a schema that does not describe itself
 * @example
 * const notes = schema(Note, { server: { ownerId: ({ params }) => params.user.id } })
 *
 * app.use('notes', new Notes(options), { schema: notes })
 */
export function schema<
  const S extends AnySchema & SchemaAlone,
  const Settings extends SettingsFor<OutputOf<S>>
>(
  record: S,
  settings: Settings & Checked<Settings, OutputOf<S>>
): DeclaredSchema<TypesOf<Settings & { readonly record: S }>>
export function schema(first: unknown, settings?: SchemaSettings): any {
  const declaration = declare(first, settings)

  return {
    [DECLARED]: declaration,
    get definition() {
      return declaration.definition
    },
    // Never called on a server: its application has replaced this object by one that enforces the schema.
    install(_service: FeathersService, path: string): never {
      throw createError(
        'ALULA_INVALID_SCHEMA',
        `The schema of service '${path}' is for the application of a server: a client does not enforce it`
      )
    }
  }
}

/**
 * Reads what `schema` gets. Throws TypeError for settings that are not valid, and for a schema that does not describe itself.
 */
export function declare(first: unknown, settings?: SchemaSettings): Declaration {
  const form = toLongForm(first, settings)
  const record = toValidator(form.record, 'The record of schema()', getAjv(form, 'data'))

  assertNames(form, toNames(record.output))

  return { form, record }
}

/** Checks the names of fields that settings have. */
function assertNames(form: LongForm, declared: readonly string[]): void {
  const sources = Object.values(form.computed ?? {}).flatMap(({ from }) => from)

  assertDeclared(Object.keys(form.server ?? {}), declared, 'server')
  assertDeclared(listHiddenFields(form).map(getFirstName), declared, 'hidden')
  assertDeclared(sources, declared, 'computed.from')
  assertRelations(form, declared)

  for (const name of Object.keys(form.methods ?? {})) {
    if (isStandardMethod(name)) {
      throw createTypeError(
        'ALULA_INVALID_SCHEMA',
        `'methods' of schema() is for custom methods: '${name}' has a schema of its own`
      )
    }
  }
}

function assertDeclared(names: readonly string[], declared: readonly string[], option: string): void {
  const missing = names.find((name) => !declared.includes(name))

  if (missing === undefined) return

  throw createTypeError(
    'ALULA_UNKNOWN_FIELD',
    `The record of schema() has no field '${missing}', which '${option}' names${didYouMean(missing, declared)}`
  )
}

function assertRelations({ relations = {}, computed = {} }: LongForm, declared: readonly string[]): void {
  for (const [name, { from }] of Object.entries(relations)) {
    if (!isQueryName(name)) {
      throw createTypeError(
        'ALULA_INVALID_RELATION',
        `The relation '${name}' of schema() needs a name without dots, and without $ in front`
      )
    }
    if (declared.includes(name) || Object.hasOwn(computed, name)) {
      throw createTypeError(
        'ALULA_CONFLICTING_FIELD',
        `The relation '${name}' of schema() has the name of a field: choose another name`
      )
    }
    if (from !== undefined) assertDeclared([from], declared, `relations.${name}.from`)
  }
}
