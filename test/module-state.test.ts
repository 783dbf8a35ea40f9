import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** What belongs to the process, and why; what belongs to an application, a service or a server is kept on that. */
const ALLOWED: { readonly [file: string]: string } = {
  'kysely/databases.ts': 'instances of Kysely and their transactions share an adapter, which is not ours',
  'utils/debug.ts': 'setDebug concerns all applications, as in Feathers v5',
  'utils/deferral.ts': 'a transaction holds back events of all applications that a call goes through'
}

const STATE = /^(?:export )?(?:let |const \w+(?:: [^=]+)? = new Weak(?:Map|Set)\b)/m

it('modules keep no state but what belongs to the process', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => STATE.test(readFileSync(join(SRC, file), 'utf8')))

  expect(files.sort()).toEqual(Object.keys(ALLOWED))
})
