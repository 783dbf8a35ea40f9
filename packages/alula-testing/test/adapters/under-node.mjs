// The suite as its users run it, from the built package.
import { describe, it } from 'node:test'
import { memory } from 'alula/memory'
import { adapterTests } from 'alula-testing/adapters'

adapterTests(
  { describe, it },
  { name: 'memory', create: (options) => memory(options), features: { dates: false }, random: { runs: 20 } }
)
