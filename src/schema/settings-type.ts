// The types of settings: names that do not exist do not compile, and are reported where they stand.
import type {
  LongForm,
  MethodSchemas,
  QuerySettings,
  SchemaKeyword,
  SchemaSettings,
  ServerValue,
  View,
  ViewFunction,
  WriteContext
} from './declaration.ts'
import type { Envelope } from './envelope.ts'
import type { Reachable } from './include-type.ts'
import type { OutputOf } from './output-type.ts'
import type { CountName } from './query-type.ts'
import type { RelationsOf } from './types.ts'

/** The settings for records of a type: only fields that it has can be named. */
export interface SettingsFor<Record> extends SchemaSettings {
  readonly server?: ServerFields<Record, Partial<Record>>
}

type ServerFields<Record, Data> = {
  readonly [Field in keyof Record]?: ServerValue<Record[Field] | undefined, WriteContext<Data>>
}

/** A schema of the record, and no long form. */
export type SchemaAlone = object & { readonly record?: undefined }

/** What the long form may be, besides its own type. Its schemas for data may have fields that the record lacks. */
export type CheckedForm<Form> = Form extends { readonly record: infer S }
  ? Checked<Form, OutputOf<S>> & { readonly server?: ServerFields<OutputOf<S>, any> }
  : unknown

/** What settings may be, besides their own type. */
export type Checked<Settings, Record> = {
  readonly [Name in keyof Settings]: Name extends keyof Checks<Settings, Record>
    ? Checks<Settings, Record>[Name]
    : Known<Name, keyof LongForm>
}

/** The settings that name fields, relations or what else there may be. */
interface Checks<Settings, Record> {
  readonly server: Settings extends { readonly server: infer Fields }
    ? KnownIn<Fields, FieldName<Record>>
    : unknown
  readonly hidden: Settings extends { readonly hidden: readonly (infer Given)[] }
    ? NamesOf<Given, Hideable<Record> | keyof RelationsOf<Settings>>
    : unknown
  readonly include: Settings extends { readonly include: readonly (infer Given extends string)[] }
    ? NamesOf<Given, Reachable<RelationsOf<Settings>, Given>>
    : unknown
  readonly computed: Settings extends { readonly computed: infer Fields }
    ? { readonly [Name in keyof Fields]: { readonly from: SourcesOf<Fields[Name], Record> } }
    : unknown
  readonly relations: Settings extends { readonly relations: infer Relations }
    ? { readonly [Name in keyof Relations]: StartOf<Relations[Name], Record> }
    : unknown
  readonly envelope: Settings extends { readonly envelope: infer Given }
    ? KnownIn<Given, keyof Envelope>
    : unknown
  readonly view: Settings extends { readonly view: infer Given extends View } ? ViewOf<Given> : unknown
  readonly query: Settings extends { readonly query: infer Given }
    ? QueryOf<Given, Hideable<Record>, CountName<RelationsOf<Settings>>>
    : unknown
  readonly methods: Settings extends { readonly methods: infer Methods }
    ? { readonly [Name in keyof Methods]: KnownIn<Methods[Name], keyof MethodSchemas> }
    : unknown
}

/** Names that are not known before the program runs are checked then. */
type NameOf<Given, Names> = string extends Given ? string : Names

/**
 * A list of names; no further type where they exist. The compiler would compare every method of the list that was given with
 * those of another type of list, which took half the time of a completion.
 */
type NamesOf<Given, Names> = [Given] extends [NameOf<Given, Names>] ? unknown : readonly Names[]

/** In place of a value whose name is wrong: no value is of this type, and messages of the compiler show it. */
interface NoSuchName<Name> {
  readonly '~unknown': Name
}

type Known<Name, Names> = Name extends Names ? unknown : NoSuchName<Name>

type KnownIn<Given, Names> = Given extends unknown
  ? string extends keyof Given
    ? unknown
    : { readonly [Name in keyof Given]: Known<Name, Names> }
  : never

/** Also those that only some kinds of a record have. */
type FieldName<Record> = unknown extends Record
  ? string
  : Record extends unknown
    ? keyof Record & string
    : never

/** Fields, and what is in objects and lists of objects. */
type Hideable<Record> = FieldName<Record> | InnerPath<Record> | `${InnerPath<Record>}.${string}`

type InnerPath<Record> = Record extends unknown
  ? {
      [Field in keyof Record & string]: `${Field}.${FieldName<Inside<Record[Field]>>}`
    }[keyof Record & string]
  : never

type Inside<Value> = Value extends readonly (infer Item)[] ? Item : Value extends object ? Value : never

type SourcesOf<Field, Record> = Field extends { readonly from: readonly (infer Given)[] }
  ? NamesOf<Given, FieldName<Record>>
  : readonly string[]

/** A view makes what its schema says. */
type ViewOf<Given extends View> = {
  readonly [Name in keyof Given]: Name extends 'make'
    ? ViewFunction<OutputOf<Given['schema']>>
    : Known<Name, keyof View>
}

/**
 * Names of fields that queries may have, and of counts that they may sort by. A schema in their place says by itself what
 * queries are.
 */
type QueryOf<Given, Path, Count> = keyof Given & (SchemaKeyword | '~standard') extends never
  ? {
      readonly [Name in keyof Given]: Name extends 'fields' | 'sort'
        ? NamesOf<ItemOf<Given[Name]>, Path | (Name extends 'sort' ? Count : never)>
        : Known<Name, keyof QuerySettings>
    }
  : unknown

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never

type StartOf<Relation, Record> = Relation extends { readonly from: infer From }
  ? Exclude<From, undefined> extends NameOf<From, FieldName<Record>>
    ? unknown
    : NoSuchName<Exclude<From, undefined>>
  : unknown
