// The types that the schema of a library says.

/** What a valid value of a schema is. */
export type OutputOf<S> = S extends Standard
  ? TypesOf<S>['output']
  : S extends { static: infer Static }
    ? Static
    : any

/** What a schema takes. */
export type InputOf<S> = S extends Standard ? TypesOf<S>['input'] : OutputOf<S>

/** A Standard Schema. With more of it here, every schema would be compared with all that its library has. */
interface Standard {
  readonly '~standard': any
}

type TypesOf<S extends Standard> = unknown extends S['~standard']['types']
  ? any
  : NonNullable<S['~standard']['types']>
