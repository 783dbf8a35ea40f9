// What the methods of a service take and return, read off their types.

/**
 * The data that each method of a service takes; `undefined` for a method without data. It is a conditional type so that
 * the context of one method is assignable to that of any method: TypeScript looks through a mapped type alone.
 */
export type DataByMethod<S> = S extends unknown
  ? {
      [Name in keyof S]-?: Name extends 'find' | 'get' | 'remove'
        ? undefined
        : Name extends 'update' | 'patch'
          ? SecondArgument<S[Name]>
          : Name extends 'create'
            ? CreateData<S[Name]>
            : Name extends Unhooked<S>
              ? never
              : S[Name] extends AnyMethod
                ? FirstArgument<S[Name]>
                : never
    }
  : never

/** What each method of a service resolves to. */
export type ResultByMethod<S> = S extends unknown
  ? {
      [Name in keyof S]-?: Name extends 'create'
        ? CreateResult<S[Name]>
        : Name extends 'update' | 'patch' | 'remove'
          ? OneOf<Resolved<S[Name]>>
          : Name extends Unhooked<S>
            ? never
            : S[Name] extends AnyMethod
              ? Resolved<S[Name]>
              : never
    }
  : never

/** The methods of a service that have no hooks, or none that clients reach. */
type Unhooked<S> =
  | 'setup'
  | 'teardown'
  | 'sanitizeQuery'
  | `_${string}`
  | (S extends { _find: unknown } ? AdapterHelper : never)

/** What `@feathersjs/knex` and `@feathersjs/mongodb` have beside service methods, and that returns something thenable. */
type AdapterHelper =
  | 'Model'
  | 'getModel'
  | 'db'
  | 'knexify'
  | 'createQuery'
  | 'findRaw'
  | 'aggregateRaw'
  | 'countDocuments'
  | 'normalizeId'

type AnyMethod = ((...args: any) => Promise<any>) | undefined

/** `any` for a method of which nothing is known. */
type Unknown<Method> = Method extends undefined ? never : any

type FirstArgument<Method> = Method extends (data: infer Data, ...others: any) => any ? Data : Unknown<Method>
type SecondArgument<Method> = Method extends (id: any, data: infer Data, ...others: any) => any
  ? Data
  : Unknown<Method>
type CreateData<Method> = Method extends {
  (data: infer Data, ...others: any): any
  (data: infer Other, ...others: any): any
}
  ? OneOf<unknown extends Data ? Other : Data | Other>
  : Unknown<Method>
type CreateResult<Method> = Method extends {
  (...args: any): Promise<infer Result>
  (...args: any): Promise<infer Other>
}
  ? OneOf<unknown extends Result ? Other : Result | Other>
  : OneOf<Resolved<Method>>
type Resolved<Method> = Method extends (...args: any) => infer Result ? Awaited<Result> : Unknown<Method>

/** The type for one record, where a method takes or returns one record or several. */
type OneOf<T> = Exclude<T, readonly any[]> extends never ? T : Exclude<T, readonly any[]>
