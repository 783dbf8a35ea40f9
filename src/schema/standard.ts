// The two interfaces by which libraries of schemas can be used without knowing them: https://standardschema.dev

/** A schema of a library that speaks Standard Schema, such as Zod, Valibot or ArkType. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: number
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Describes the schema as JSON Schema. */
    readonly jsonSchema?: { readonly input: Describe; readonly output: Describe } | undefined
  }
}

type Describe = (options: {
  readonly target: string
  /** What only the library knows. */
  readonly libraryOptions?: Record<string, unknown> | undefined
}) => Record<string, unknown>

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
