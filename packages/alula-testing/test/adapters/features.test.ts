import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { BadRequest } from '../../../../src/errors.ts'
import { MemoryService } from '../../../../src/memory.ts'
import { scaled } from '../../../../test/support/scale.ts'
import { adapterTests } from '../../src/adapters.ts'
import { collect } from './collect.ts'
import { TableService } from './table.ts'

const TABLE = {
  create: (options: any) => new TableService(options),
  ids: ['number'] as const,
  features: {
    booleans: false,
    codeUnits: false,
    dates: false,
    insertionOrder: false,
    missing: false,
    mixedTypes: false,
    objects: false
  }
}

// With the features off that a table does not have, the suite asks nothing of it that a table cannot do.
adapterTests({ describe, it }, { name: 'of a table', ...TABLE, random: { runs: scaled(4000) } })

/** Ids are made by the store alone, as some databases do. */
class KeyedService extends MemoryService<any, any> {
  override async _create(data: any, params?: any): Promise<any> {
    const withId = (item: any) => {
      if (item[this.id] !== undefined && item[this.id] !== null)
        throw new BadRequest('The store makes the ids')

      return { ...item, [this.id]: randomUUID() }
    }

    return super._create(Array.isArray(data) ? data.map(withId) : withId(data), params)
  }
}

adapterTests(
  { describe, it },
  {
    name: 'whose store makes all ids',
    create: (options) => new KeyedService(options),
    ids: [],
    random: { runs: scaled(4000) }
  }
)

it('a feature that is off skips rules, and says which', async () => {
  const { skipped } = await collect({ ...TABLE, features: { dates: false, negation: false } })

  expect(skipped).toContain('dates are compared by their time (needs dates)')
  expect(skipped).toContain('$nor of nothing finds all records (needs negation)')
  expect(skipped).toContain('the id "a/b" is an ordinary one (needs textIds)')
  expect(skipped).not.toContain('zero is an id (needs numberIds)')
})

it('a table with all features on breaks rules', async () => {
  const { failed } = await collect({ create: TABLE.create })

  expect([...failed.keys()]).toEqual(
    expect.arrayContaining([
      'true and false are kept',
      'dates are kept',
      'objects and arrays are kept',
      'a field that is not given stays missing',
      'text is ordered by its UTF-16 code units',
      'a string finds both in a field of several types',
      'the id "a/b" is an ordinary one'
    ])
  )
})
