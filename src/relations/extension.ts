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
import { listFilters, type Relation, type Relations } from '../schema/relation.ts'
import { selectSources } from '../schema/selection.ts'
import { getInherited, getSlots, setSlots } from '../utils/call-state.ts'
import { isString } from '../utils/check.ts'
import { copyWith, isEmpty } from '../utils/object.ts'
import { andThen } from '../utils/promise.ts'
import { assertRelations } from './check.ts'
import { hasFilter, resolveFilters } from './filter.ts'
import { type Includes, readIncludes, toIncludes } from './include.ts'
import { addRelated } from './load.ts'
import { askPrefetch } from './prefetch.ts'
import { markPrivate, withoutPrivate } from './private.ts'
import { hasSort, resolveSorts } from './sort.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** What the call includes. */
    readonly includes?: Includes
    /** The relations that it includes by default: it has not asked for them. */
    readonly unasked?: Includes
  }
}

const NOTHING: Includes = new Map()

/** Has relations take part in the calls of a service whose schema declares some; a step of its registration. */
export function addRelations(
  _service: FeathersService,
  _path: string,
  { schema }: NormalizedServiceOptions
): void {
  const described = schema as Partial<DescribedExtension> | undefined

  const { relations = {}, include = [] } = described ?? {}

  if (!described || (isEmpty(relations) && include.length === 0)) return

  described.inner ??= new ServiceRelations(relations, include)
}

class ServiceRelations implements InnerExtension {
  private readonly relations: Relations
  /** The names by which queries filter through them. */
  private readonly filters: ReadonlySet<string>
  /** What is included where a client asks for nothing else. */
  private readonly defaults: Includes

  constructor(relations: Relations, include: readonly string[]) {
    this.relations = relations
    this.filters = new Set(listFilters(relations))
    this.defaults = toIncludes(include)
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
      const included = this.readIncludes(context, method)

      if (!query && included.size === 0) return

      return andThen(this.resolve(context, query ?? {}), (resolved) =>
        this.select(context, resolved, included)
      )
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
      if (hasEvent || !goesToClient(context)) markPrivate(context, relations, getSlots(context).unasked)
    }
  }

  /** Related records that not all callers may find are for the caller alone. */
  show(event: string, data: unknown, context: HookContext): unknown {
    // Code that sends an event has no method. What another method returns may have records anywhere.
    const { method = 'find' } = context as { method?: string }
    const isDeep = !defaultServiceEvents.includes(event) || !isStandardMethod(method)

    return withoutPrivate(context, data, this.relations, isDeep)
  }

  /** What a call includes beside what it selects: what it asks for, or else the defaults of its service. */
  private readIncludes(context: HookContext, method: string): Includes {
    const { relations, defaults } = this
    const { include } = getSlots(context)

    if (include !== undefined) return readIncludes(context, include, relations)
    if (defaults.size === 0 || method === 'remove' || !isOfClient(context)) return NOTHING

    const { $select } = context.params.query ?? {}

    if ($select !== undefined) {
      const selected = [$select].flat()

      return new Map([...defaults].filter(([name]) => selected.includes(name)))
    }

    setSlots(context, { unasked: defaults })

    return defaults
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
    let asked = query

    for (const name of [query.$select ?? []].flat()) {
      // Its shape is for the adapter.
      if (isString(name) && Object.hasOwn(relations, name) && !includes.has(name)) includes.set(name, [])
    }

    if (includes.size > 0) {
      const isRelation = (name: string) => Object.hasOwn(relations, name)
      const sources = [...includes.keys()].map((name) => (relations[name] as Relation).from ?? id)

      asked = selectSources(context, query, id, (name) => (isRelation(name) ? [] : undefined), sources)
    }
    if (asked !== context.params.query) context.params = copyWith(context.params, { query: asked })
    if (includes.size === 0) return

    setSlots(context, { includes })
    askPrefetch(context, includes, relations)
  }
}

/** Whether a client asks, and no relation: services whose relations lead to each other would include without an end. */
function isOfClient({ params }: HookContext): boolean {
  return Boolean(params.provider) && !getInherited(params).isForRelation
}
