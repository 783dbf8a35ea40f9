import adapterTests from '@feathersjs/adapter-tests'
import { afterAll, afterEach, beforeAll, beforeEach, describe, it, vi } from 'vitest'
import * as errors from '../../src/errors.ts'

/** The names of all cases of `@feathersjs/adapter-tests` 5.0.50. It skips those that it is not given. */
const CASES = [
  '.options',
  '.events',
  '._get',
  '._find',
  '._create',
  '._update',
  '._patch',
  '._remove',
  '.get',
  '.get + $select',
  '.get + id + query',
  '.get + NotFound',
  '.get + NotFound (integer)',
  '.get + id + query id',
  '.find',
  '.remove',
  '.remove + $select',
  '.remove + id + query',
  '.remove + NotFound',
  '.remove + NotFound (integer)',
  '.remove + multi',
  '.remove + multi no pagination',
  '.remove + id + query id',
  '.update',
  '.update + $select',
  '.update + id + query',
  '.update + NotFound',
  '.update + NotFound (integer)',
  '.update + query + NotFound',
  '.update + id + query id',
  '.patch',
  '.patch + $select',
  '.patch + id + query',
  '.patch multiple',
  '.patch multiple no pagination',
  '.patch multi query same',
  '.patch multi query changed',
  '.patch + NotFound',
  '.patch + NotFound (integer)',
  '.patch + query + NotFound',
  '.patch + id + query id',
  '.create',
  '.create ignores query',
  '.create + $select',
  '.create multi',
  'internal .find',
  'internal .get',
  'internal .create',
  'internal .update',
  'internal .patch',
  'internal .remove',
  '.find + equal',
  '.find + equal multiple',
  '.find + $sort',
  '.find + $sort + string',
  '.find + $limit',
  '.find + $limit 0',
  '.find + $skip',
  '.find + $select',
  '.find + $or',
  '.find + $in',
  '.find + $nin',
  '.find + $lt',
  '.find + $lte',
  '.find + $gt',
  '.find + $gte',
  '.find + $ne',
  '.find + $gt + $lt + $sort',
  '.find + $or nested + $sort',
  '.find + $and',
  '.find + $and + $or',
  'params.adapter + paginate',
  'params.adapter + multi',
  '.find + paginate',
  '.find + paginate + query',
  '.find + paginate + $limit + $skip',
  '.find + paginate + $limit 0',
  '.find + paginate + params'
]

// Its types are those of a CommonJS module.
const suite: any = (adapterTests as any).default ?? adapterTests

/** To be called once by a file: the suite registers its cases with the globals of mocha. */
export function useMochaGlobals(): void {
  const globals = { describe, it, before: beforeAll, after: afterAll, beforeEach, afterEach }

  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  // Files that come later have none.
  afterAll(() => void vi.unstubAllGlobals())
}

/**
 * Registers the suite of Feathers v5 for adapters.
 *
 * @param app Its services emit `testing`, and their records have the fields that the suite expects
 * @param path The path of one of them
 * @param id Its id field
 */
export function officialSuite(app: object, path: string, id = 'id'): void {
  suite(CASES)(app, errors, path, id)
}
