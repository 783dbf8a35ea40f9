// The suite as its users run it, from the built package.
import { describe, it } from 'node:test'
import { adapterTests } from 'alula/adapter-tests'
import { memory } from 'alula/memory'

adapterTests(
  { describe, it },
  { name: 'memory', create: (options) => memory(options), features: { dates: false }, random: { runs: 20 } }
)
