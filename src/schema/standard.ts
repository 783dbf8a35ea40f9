// The two interfaces by which libraries of schemas can be used without knowing them: https://standardschema.dev

/** A schema of a library that speaks Standard Schema, such as Zod, Valibot or ArkType. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProperties<Input, Output>
}

/** What such a schema can do. */
export interface StandardProperties<Input = unknown, Output = Input> {
  readonly version: number
  readonly vendor: string
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  readonly types?: { readonly input: Input; readonly output: Output } | undefined
  readonly jsonSchema?: StandardConverter | undefined
}

/** Describes a schema as JSON Schema. */
export interface StandardConverter {
  readonly input: (options: StandardConverterOptions) => Record<string, unknown>
  readonly output: (options: StandardConverterOptions) => Record<string, unknown>
}

/** Which JSON Schema is asked for, and what only the library knows. */
export interface StandardConverterOptions {
  readonly target: string
  readonly libraryOptions?: Record<string, unknown> | undefined
}

/** A valid value, or what is wrong. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One thing that is wrong. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Whether a value is a schema of a library that speaks Standard Schema. Those of some libraries are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'

  return isHolder && typeof (value as Partial<StandardSchema>)['~standard']?.validate === 'function'
}
