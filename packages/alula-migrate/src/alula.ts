import { readFileSync } from 'node:fs'

/** The ranges of the optional peers of alula that a migration adds. `test/alula.test.ts` compares them. */
export const PEER_RANGES: { readonly [name: string]: string } = {
  '@koa/cors': '^5.0.0',
  koa: '^3.0.0',
  'koa-body': '^8.0.0',
  'koa-static': '^5.0.0',
  'openid-client': '^6.8.0',
  'socket.io': '^4.8.0',
  'socket.io-client': '^4.8.0'
}

/** The version of this package, which is that of alula: all packages are released together. */
export function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
