// What takes part in the calls of a service that has relations.
import { goesToClient } from '../core/client-call.ts'
import { defaultServiceEvents, getDefinition, isStandardMethod } from '../core/methods.ts'
import { getIdField } from '../core/service.ts'
import type {
  Application,
  FeathersService,
  HookContext,
  NormalizedServiceOptions,
  Params,
  Query
} from '../core/types.ts'
import type { Hook } from '../hooks/types.ts'
import { getSchemaDefinition } from '../schema/compile.ts'
import type { DescribedExtension, InnerExtension } from '../schema/declared.ts'
import { listFilters, type Relations } from '../schema/relation.ts'
import { selectSources } from '../schema/selection.ts'
import { getSlots, setSlots } from '../utils/call-state.ts'
import { isString } from '../utils/check.ts'
import { copyWith, isEmpty } from '../utils/object.ts'
import { andThen } from '../utils/promise.ts'
import { assertRelations } from './check.ts'
import { hasFilter, resolveFilters } from './filter.ts'
import { type Includes, readIncludes } from './include.ts'
import { addRelated } from './load.ts'
import { askPrefetch } from './prefetch.ts'
import { markPrivate, withoutPrivate } from './private.ts'
import { hasSort, resolveSorts } from './sort.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** What the call includes. */
    readonly includes?: Includes
  }
}

/** Has relations take part in the calls of a service whose schema declares some; a step of its registration. */
export function addRelations(
  _service: FeathersService,
  _path: string,
  { schema }: NormalizedServiceOptions
): void {
  const described = schema as Partial<DescribedExtension> | undefined

  if (described?.relations && !isEmpty(described.relations)) {
    described.inner ??= new ServiceRelations(described.relations)
  }
}

class ServiceRelations implements InnerExtension {
  private readonly relations: Relations
  /** The names by which queries filter through them. */
  private readonly filters: ReadonlySet<string>

  constructor(relations: Relations) {
    this.relations = relations
    this.filters = new Set(listFilters(relations))
  }

  async setup(service: FeathersService, path: string, app: object, params: Params = {}): Promise<void> {
    const definition = getSchemaDefinition(service)

    // That of a table may not be known yet.
    if (definition) await assertRelations(app as Application, { path, definition }, params)
  }

  input(method: string): Hook<HookContext> | undefined {
    if (!isStandardMethod(method)) return undefined

    return (context) => {
      const { query } = context.params
      const { include } = getSlots(context)

      if (!query) return

      const included = include === undefined ? new Map() : readIncludes(context, include, this.relations)

      return andThen(this.resolve(context, query), (resolved) => this.select(context, resolved, included))
    }
  }

  complete(method: string): Hook<HookContext> | undefined {
    if (!isStandardMethod(method)) return undefined

    return (context) => {
      const { includes } = getSlots(context)

      if (includes) return addRelated(context, includes, this.relations)
    }
  }

  /** Other services may send events with the records of this one. */
  output(method: string): Hook<HookContext> | undefined {
    if (!isStandardMethod(method)) return undefined

    const { relations } = this
    const hasEvent = getDefinition(method).event !== undefined

    return (context) => {
      // Listeners of an event get the result too.
      if (hasEvent || !goesToClient(context)) markPrivate(context, relations)
    }
  }

  /** Related records that not all callers may find are for the caller alone. */
  show(event: string, data: unknown, context: HookContext): unknown {
    // Code that sends an event has no method. What another method returns may have records anywhere.
    const { method = 'find' } = context as { method?: string }
    const isDeep = !defaultServiceEvents.includes(event) || !isStandardMethod(method)

    return withoutPrivate(context, data, this.relations, isDeep)
  }

  /** Turns what a query asks of related records into what the adapter understands. */
  private resolve(context: HookContext, query: Query): Query | Promise<Query> {
    const { relations, filters } = this
    const filtered = hasFilter(query, relations) ? resolveFilters(context, query, relations, filters) : query

    return andThen(filtered, (left) =>
      hasSort(left, relations) ? resolveSorts(context, left, relations) : left
    )
  }

  /** Includes what `$select` names too, and has the fields read that relations start from. */
  private select(context: HookContext, query: Query, included: Includes): void {
    const { relations } = this
    const id = getIdField(context.service)
    const includes = new Map(included)
    const toSource = (name: string) => relations[name]?.from ?? id

    for (const name of [query.$select ?? []].flat()) {
      // Its shape is for the adapter.
      if (isString(name) && Object.hasOwn(relations, name) && !includes.has(name)) includes.set(name, [])
    }

    const sources = [...includes.keys()].map(toSource)
    const selecting = selectSources(
      context,
      query,
      id,
      (name) => (Object.hasOwn(relations, name) ? [] : undefined),
      sources
    )

    if (selecting !== context.params.query) context.params = copyWith(context.params, { query: selecting })
    if (includes.size === 0) return

    setSlots(context, { includes })
    askPrefetch(context, includes, relations)
  }
}
