// What the generator of Feathers v5 puts in the middle of an app: the aliases that everything else imports.
import type { AuthenticationConfiguration } from '../../../src/authentication.ts'
import type { Application as FeathersApplication } from '../../../src/express.ts'
import type { HookContext as FeathersHookContext, NextFunction } from '../../../src/index.ts'

export type { NextFunction }

export interface User {
  id: number
  email: string
}

export interface Configuration {
  host: string
  port: number
  public: string
  paginate: { default: number; max: number }
  authentication: AuthenticationConfiguration
}

/** Filled by each service. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by augmentation
export interface ServiceTypes {}

export type Application = FeathersApplication<ServiceTypes, Configuration>

export type HookContext<S = any> = FeathersHookContext<Application, S>

// The generator says `user`. All tests see it, and those of others have users of their own.
declare module '../../../src/index.ts' {
  interface Params {
    account?: User
  }
}
