// The types of what clients send and get, where that is not the record itself.
import type { CursorPage, Paginated } from '../core/types.ts'
import type { Envelope } from './envelope.ts'
import type { OutputOf } from './output-type.ts'

/** What calls of clients have beside records: an envelope, or what a view makes; neither for most services. */
export type WireOf<Settings> = Settings extends { readonly envelope: infer E extends Envelope }
  ? { readonly envelope: E }
  : Settings extends { readonly view: infer View }
    ? { readonly view: View extends { readonly schema: infer S } ? OutputOf<S> : any }
    : // biome-ignore lint/complexity/noBannedTypes: none
      {}

/** In place of an envelope: calls of the server have none. */
export interface Here {
  readonly here: true
}

/** What clients do not get of a type: its fields that have one of the names. */
export type Without<Value, Names> = 0 extends 1 & Value
  ? Value
  : [Names] extends [never]
    ? Value
    : Value extends unknown
      ? { [Name in keyof Value as Name extends Names ? never : Name]: Value[Name] }
      : never

/** Beside an envelope: calls go through JSON, where dates are strings. */
export interface Json {
  readonly json: true
}

/** Beside an envelope: pages have cursors. */
export interface Cursors {
  readonly cursors: true
}

/** A page of the server. */
export type PageOf<Wire, Value> = Wire extends Cursors ? CursorPage<Value> : Paginated<Value>

/** A value as a caller gets it. */
export type AsReceived<Wire, Value> = Wire extends Json ? FromJson<Value> : Value

/** A value as a caller gives it. */
export type AsGiven<Wire, Value> = Wire extends Json ? ForJson<Value> : Value

type FromJson<Value> = Value extends Date
  ? string
  : Value extends Whole
    ? Value
    : { [Name in keyof Value]: FromJson<Value[Name]> }

type ForJson<Value> = Value extends Date
  ? Date | string
  : Value extends Whole
    ? Value
    : { [Name in keyof Value]: ForJson<Value[Name]> }

/** What has no dates inside. */
type Whole = string | number | bigint | boolean | symbol | null | undefined | Uint8Array

/** What a client gets for one value. */
export type ReceivedOne<Wire, Value> = Wire extends { readonly view: infer Made }
  ? AsReceived<Wire, Made>
  : Wire extends { readonly envelope: { readonly one: infer Name extends string } }
    ? { [Field in Name]: Value }
    : Value

/** What it gets for several. */
export type ReceivedList<Wire, Value> = Wire extends { readonly view: infer Made }
  ? AsReceived<Wire, Made>
  : Wire extends { readonly envelope: { readonly many: infer Name extends string } }
    ? { [Field in Name]: Value[] }
    : Value[]

/** What it gets for a page. */
export type ReceivedPage<Wire, Value> = Wire extends { readonly view: infer Made }
  ? AsReceived<Wire, Made>
  : Wire extends { readonly envelope: infer E extends { readonly many: string } }
    ? { [Field in E['many']]: Value[] } & EnvelopedPage<Wire, E>
    : PageOf<Wire, Value>

/** What a page has in an envelope beside its records. */
type EnvelopedPage<Wire, E> = Wire extends Cursors
  ? { [Name in CountOf<E, 'limit'>]: number } & { [Name in CountOf<E, 'total'>]?: number } & Omit<
        CursorPage<never>,
        'data' | 'limit' | 'total'
      >
  : { [Name in CountOf<E, 'total' | 'limit' | 'skip'>]: number }

/** The names that a page has counts under. */
type CountOf<E, Counts extends 'total' | 'limit' | 'skip'> = {
  [Count in Counts]: E extends { readonly [Name in Count]: infer Name extends string } ? Name : never
}[Counts]

/** What it gets for the result of a custom method. */
export type ReceivedResult<Wire, Result> = 0 extends 1 & Result
  ? Wire extends { readonly view: infer Made }
    ? AsReceived<Wire, Made>
    : any
  : Result extends null | undefined | void
    ? Result
    : Result extends readonly (infer Value)[]
      ? ReceivedList<Wire, Value>
      : Result extends Paginated<infer Value>
        ? ReceivedPage<Wire, Value>
        : ReceivedOne<Wire, Result>

/** What a client sends for one value. */
export type Sent<Wire, Data> = Wire extends {
  readonly envelope: { readonly one: infer Name extends string; readonly request: true }
}
  ? { [Field in Name]: Data }
  : Data

/** What it sends for several. */
export type SentList<Wire, Data> = Wire extends {
  readonly envelope: { readonly many: infer Name extends string; readonly request: true }
}
  ? { [Field in Name]: Data[] }
  : Sent<Wire, Data[]>

/** What it sends for the data of a custom method. */
export type SentValue<Wire, Data> = 0 extends 1 & Data
  ? any
  : Data extends readonly (infer Value)[]
    ? SentList<Wire, Value>
    : Sent<Wire, Data>
