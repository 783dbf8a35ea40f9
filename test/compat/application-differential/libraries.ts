import { AdapterBase, filterQuery } from '@feathersjs/adapter-commons'
import * as officialExpress from '@feathersjs/express'
import { feathers, getServiceOptions } from '@feathersjs/feathers'
import * as officialKoa from '@feathersjs/koa'
import { memory } from '@feathersjs/memory'
import { routing } from '@feathersjs/transport-commons'
import * as ownAdapter from '../../../src/adapter.ts'
import * as ownExpress from '../../../src/express.ts'
import * as index from '../../../src/index.ts'
import * as ownKoa from '../../../src/koa.ts'
import { memory as ownMemory } from '../../../src/memory.ts'

/** What a program takes from Feathers v5, or from alula. Their types have nothing in common. */
export type Library = any

export const FEATHERS: Library = {
  create: feathers,
  getServiceOptions,
  routing,
  AdapterBase,
  filterQuery,
  memory,
  express: officialExpress,
  koa: officialKoa
}

export const ALULA: Library = {
  ...index,
  ...ownAdapter,
  create: index.alula,
  // It is always there.
  routing: () => () => undefined,
  memory: ownMemory,
  express: ownExpress,
  koa: ownKoa
}
