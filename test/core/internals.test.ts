import { feathers } from '@feathersjs/feathers'
import { expect, it } from 'vitest'
import { getInternals } from '../../src/core/internals.ts'
import express from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'

it('an application and the Express application that is made of it keep the same', () => {
  const app = alula()
  const both: any = express(app)

  app.configure(socketio())
  app.mount('/docs', () => new Response())

  expect(getInternals(both)).toBe(getInternals(app))
  expect(() => both.configure(socketio())).toThrow("'alula/socketio' is configured already")
  expect(() => both.mount('/docs', () => new Response())).toThrow("A function is mounted for '/docs' already")
})

it('two applications keep nothing together', () => {
  expect(getInternals(alula())).not.toBe(getInternals(alula()))
})

it('an application of Feathers v5 keeps the same from the first need on, and shows nothing of it', () => {
  const app = feathers()
  const internals = getInternals(app)

  expect(getInternals(app)).toBe(internals)
  expect(Object.keys(app)).not.toContain('_internals')
})
