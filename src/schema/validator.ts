import type { Fault } from './faults.ts'
import type { JsonSchema } from './json-schema.ts'
import type { StandardSchema } from './standard.ts'

/** A schema of a library that speaks Standard Schema, or a JSON Schema, such as those of TypeBox. */
export type AnySchema = StandardSchema | object

/** The part of Ajv that is used. */
export interface AjvLike {
  compile(schema: any): { (value: any): unknown; errors?: any }
  /** Finds a schema that the instance has by its `$id`. */
  getSchema?(id: string): { schema?: unknown } | undefined
}

/** A valid value, which may differ from what was given; or what is wrong. */
export type ValidationOutcome =
  | { readonly value: unknown; readonly faults?: undefined }
  | { readonly faults: readonly Fault[] }

/** Checks values by a schema of any library. */
export interface Validator {
  /** What may come in. */
  readonly input: JsonSchema
  /** What a valid value is afterwards. */
  readonly output: JsonSchema
  /** Checks a value, which stays as it is. */
  validate(value: unknown): ValidationOutcome | Promise<ValidationOutcome>
  /**
   * Loads what the validator needs, so that what is missing is known when the application starts. Throws an Error for a package
   * that is missing, and for a schema that is not valid.
   */
  load?(): Promise<void>
}
