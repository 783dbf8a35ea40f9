import { readFileSync } from 'node:fs'

/** The version of this package, which is that of alula: all packages are released together. */
export function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
