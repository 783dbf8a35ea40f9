import * as officialAuthentication from '@feathersjs/authentication'
import { LocalStrategy, passwordHash } from '@feathersjs/authentication-local'
import * as officialErrors from '@feathersjs/errors'
import { feathers } from '@feathersjs/feathers'
import * as officialKoa from '@feathersjs/koa'
import officialSocketio from '@feathersjs/socketio'
import * as authentication from '../../../src/authentication.ts'
import * as errors from '../../../src/errors.ts'
import { alula } from '../../../src/index.ts'
import * as koa from '../../../src/koa.ts'
import { socketio } from '../../../src/socketio.ts'

/** What an application takes from Feathers v5, or from alula. Their types have nothing in common. */
export type Library = { readonly [name: string]: any }

/** Everything of Feathers v5. */
export const FEATHERS: Library = {
  ...officialKoa,
  // After Koa, whose `authenticate` is middleware.
  ...officialAuthentication,
  LocalStrategy,
  passwordHash,
  errors: officialErrors.errors,
  feathers,
  socketio: officialSocketio
}

const ALULA: Library = {
  ...authentication,
  errors: errors.errors,
  feathers: alula,
  socketio: (options: object) => socketio({ logger: false, ...options })
}

const errorHandler = () => koa.errorHandler({ logger: false })

/** alula, with `@feathersjs/koa` kept but for its error handler. */
export const KEPT: Library = { ...officialKoa, ...ALULA, errorHandler }

/** alula throughout. */
export const ALULA_KOA: Library = { ...koa, ...ALULA, errorHandler }
