import { adapterTests } from 'alula-testing/adapters'
import { describe, it } from 'vitest'
import { memory } from '../src/memory.ts'
import { adapterGroups } from './support/adapter-groups.ts'
import { scaled } from './support/scale.ts'

// With indexes on some of the fields, so that records are found in both ways. Random calls are compared with an adapter
// that has none.
adapterTests(
  { describe, it },
  {
    name: 'memory with indexes and another id field',
    id: '_id',
    features: { cursors: true, lists: true, upsert: true },
    create: (options) =>
      memory({
        ...options,
        startId: 1,
        indexes: ['name', 'age', 'team', 'active', 'joined', 'address.city']
      }),
    random: { runs: scaled(10_000) }
  }
)

adapterGroups(['create', 'ids'], { name: 'memory', create: memory })
