export type { MethodDefinition, QueryDefinition, SchemaDefinition } from './schema/compile.ts'
export type {
  AjvOfKinds,
  LongForm,
  MethodSchemas,
  QuerySettings,
  SchemaSettings,
  ServerValue,
  View,
  ViewContext,
  ViewFunction,
  WriteContext,
  WrittenValue
} from './schema/declaration.ts'
export type { Envelope } from './schema/envelope.ts'
export type { Field, FieldKind } from './schema/fields.ts'
export type { JsonSchema } from './schema/json-schema.ts'
export { onWrite } from './schema/on-write.ts'
export type { OutputOf } from './schema/output-type.ts'
export type { CustomOperators, Query, RecordQuery } from './schema/query-type.ts'
export {
  type CountRelation,
  count,
  exists,
  type LinkOptions,
  type ListOrder,
  type ManyRelation,
  many,
  type OneRelation,
  one,
  type PathTo,
  type RelatedTypes,
  type Relation
} from './schema/relation.ts'
export type { Resolver, ResolverSettings, Resolvers } from './schema/resolvers.ts'
export { schema } from './schema/schema.ts'
export type { ServiceOf, SingletonOf } from './schema/service-type.ts'
export type { SettingsFor } from './schema/settings-type.ts'
export type { StandardSchema } from './schema/standard.ts'
export { type RecordTypes, type TypedSchema, typed } from './schema/typed.ts'
export type { DeclaredSchema, Nested, PagedByCursor, RecordOf, SchemaTypes, TypesOf } from './schema/types.ts'
export { validate } from './schema/validate.ts'
export type { AjvLike, AnySchema } from './schema/validator.ts'
