import { memory as officialMemory } from '@feathersjs/memory'
import { describe } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { officialSuite, useMochaGlobals } from '../support/official-adapter-tests.ts'

useMochaGlobals()

describe.each([
  ['@feathersjs/memory', officialMemory],
  ['alula/memory', memory]
])('the official suite on %s', (_name, create: any) => {
  const app = alula()

  app.use('people', create({ events: ['testing'] }))
  app.use('people-customid', create({ id: 'customid', events: ['testing'] }))

  officialSuite(app, 'people')
  officialSuite(app, 'people-customid', 'customid')
})
