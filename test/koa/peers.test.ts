import { Module } from 'node:module'
import { expect, it, onTestFinished, vi } from 'vitest'

const PEERS = ['koa', 'koa-body', '@koa/cors', 'koa-static']

/** Imports the entry where no package of Koa is found. */
async function importWithout(): Promise<typeof import('../../src/koa.ts')> {
  const internals = Module as any
  const loadModule = internals._load

  internals._load = function (name: string, ...args: unknown[]) {
    if (PEERS.includes(name)) throw new Error(`Cannot find module '${name}'`)

    return loadModule.call(this, name, ...args)
  }
  onTestFinished(() => {
    internals._load = loadModule
    vi.resetModules()
  })
  vi.resetModules()

  return import('../../src/koa.ts')
}

it('without the packages errorHandler works, and everything else says what is missing', async () => {
  const { bodyParser, cors, errorHandler, Koa, koa, serveStatic } = await importWithout()
  const missing = (name: string) => `'alula/koa' needs the package '${name}': npm install ${name}`

  expect(typeof errorHandler({ logger: false })).toBe('function')
  expect(() => koa()).toThrow(missing('koa'))
  expect(() => new Koa()).toThrow(missing('koa'))
  expect(() => bodyParser()).toThrow(missing('koa-body'))
  expect(() => cors()).toThrow(missing('@koa/cors'))
  expect(() => serveStatic('.')).toThrow(missing('koa-static'))
})
