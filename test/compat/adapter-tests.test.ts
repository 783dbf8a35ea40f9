import adapterTests from '@feathersjs/adapter-tests'
import { memory as officialMemory } from '@feathersjs/memory'
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest'
import * as errors from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { officialNames } from '../support/official-adapter-tests.ts'

// The suite of Feathers v5 for adapters. It registers its cases with the globals of mocha.
Object.assign(globalThis, { describe, it, before: beforeAll, after: afterAll, beforeEach, afterEach })

// Its types are those of a CommonJS module.
const suite: any = (adapterTests as any).default ?? adapterTests

describe.each([
  ['@feathersjs/memory', officialMemory],
  ['alula/memory', memory]
])('the official suite on %s', (_name, create: any) => {
  const app = alula()

  app.use('people', create({ events: ['testing'] }))
  app.use('people-customid', create({ id: 'customid', events: ['testing'] }))

  suite(officialNames)(app, errors, 'people')
  suite(officialNames)(app, errors, 'people-customid', 'customid')
})
