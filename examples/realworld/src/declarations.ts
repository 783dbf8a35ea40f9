import type { RouteParams } from 'alula'
import type { AuthenticationService } from 'alula/authentication'
import type { Application as AnyApplication } from 'alula/express'
import type { KyselyParams } from 'alula/kysely'
import type { Nested, ServiceOf, SingletonOf } from 'alula/schema'
import type { articles, articleTags, comments, favorites, feed } from './articles.js'
import type { accounts, currentUser, follows, profiles, User, users } from './users.js'

/** The services by path. */
export interface Services {
  authentication: AuthenticationService
  accounts: ServiceOf<typeof accounts>
  users: ServiceOf<typeof users, 'create' | 'login'>
  user: SingletonOf<typeof currentUser, 'get' | 'update'>
  profiles: ServiceOf<typeof profiles, 'get' | 'follow' | 'unfollow'>
  follows: ServiceOf<typeof follows>
  articles: ServiceOf<typeof articles>
  'articles/feed': ServiceOf<typeof feed, 'find'>
  'articles/:slug/comments': ServiceOf<Nested<typeof comments, 'articleId'>>
  'article-tags': ServiceOf<typeof articleTags>
  favorites: ServiceOf<typeof favorites>
  'my-favorites': ServiceOf<typeof favorites>
  tags: { find(): Promise<{ tags: string[] }> }
}

export type Application = AnyApplication<Services>

/** Params of calls that only users may make. */
interface UserParams extends KyselyParams {
  user: User
}

export type FollowParams = RouteParams<'POST /:username/follow', UserParams>
export type FavoriteParams = RouteParams<'POST /:slug/favorite', UserParams>

declare module 'alula' {
  interface Params {
    user?: User
  }
}
