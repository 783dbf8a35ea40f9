// What routes say about types.
import {
  type Application,
  alula,
  asCaller,
  type Params,
  type RouteName,
  type RouteParams
} from '../../src/index.ts'
import type { KyselyParams } from '../../src/kysely.ts'
import { MemoryService } from '../../src/memory.ts'
import { expectType } from '../support/expect-type.ts'

interface Article {
  id: number
  slug: string
}

class Articles extends MemoryService<Article> {
  async favorite(_data: unknown, { route, provider }: RouteParams<'POST /:slug/favorite'>) {
    expectType<string>().of(route.slug)
    expectType<string | undefined>().of(provider)
    // @ts-expect-error no placeholder
    void route.id

    return { slug: route.slug }
  }

  async feed(_data: undefined, params?: Params) {
    return params?.query
  }
}

const app: Application<{ articles: Articles }> = alula()

app.use('articles', new Articles(), {
  methods: ['find', 'get', 'favorite', 'feed'],
  routes: { 'POST /:slug/favorite': 'favorite', 'GET /feed': 'feed' },
  by: 'slug'
})

app.use('articles', new Articles(), {
  methods: ['feed'],
  // @ts-expect-error no method
  routes: { 'GET /feed': 'fed' }
})

app.use('articles', new Articles(), {
  methods: ['feed'],
  // @ts-expect-error no verb
  routes: { 'FETCH /feed': 'feed' }
})

app.use('articles', new Articles(), {
  methods: ['feed'],
  // @ts-expect-error no path
  routes: { 'GET feed': 'feed' }
})

declare const ofThree: RouteParams<'/users/:userId/articles/:slug/versions/:version', KyselyParams>
declare const ofNone: RouteParams<'GET /feed'>

expectType<{ userId: string; slug: string; version: string }>().of(ofThree.route)
expectType<never>().of({} as keyof typeof ofNone.route)

// The params of a method are good for a call of the caller, whatever they are.
export class Feeds extends MemoryService<{ id: number; slug: string }> {
  async feed(_data: unknown, params?: Params) {
    return this.find({ ...asCaller(params, { $limit: 5 }), paginate: false })
  }

  async favorite(_data: unknown, params: RouteParams<'POST /:slug/favorite'>) {
    expectType<{ slug: string }>().of(asCaller(params).route)

    return this.get(params.route.slug, asCaller(params))
  }
}

const name: RouteName = 'PATCH /:id/state'

void name
