import { adapterTests } from 'alula-testing/adapters'
import { describe, it } from 'vitest'
import { memory } from '../src/memory.ts'
import { scaled } from './support/scale.ts'

adapterTests({ describe, it }, { name: 'memory', create: memory, random: { runs: scaled(10_000) } })

// Whatever it is told about ids and indexes, a query means the same.
adapterTests(
  { describe, it },
  {
    name: 'memory with indexes and another id field',
    id: '_id',
    create: (options) =>
      memory({
        ...options,
        startId: 1,
        indexes: ['name', 'age', 'team', 'active', 'joined', 'address.city']
      }),
    random: { runs: scaled(10_000) }
  }
)
