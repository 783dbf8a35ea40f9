import { describe } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { officialSuite, useMochaGlobals } from '../support/official-adapter-tests.ts'

useMochaGlobals()

describe('the official suite on alula/memory', () => {
  const app = alula()

  app.use('people', memory({ id: 'customid', events: ['testing'] }))
  // The suite of alula runs with the usual name of the id.
  officialSuite(app, 'people', 'customid')
})
