import fc from 'fast-check'
import { expect, it } from 'vitest'
import { alula, createContext } from '../../src/index.ts'
import { schema } from '../../src/schema.ts'
import { scaled } from '../support/scale.ts'
import { Note, SECRET } from './support/notes.ts'

it('random records leave nothing that is hidden or not declared', async () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant(null))
  const part = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
    object: fc.dictionary(
      fc.constantFrom('name', 'city', 'code', 'text', 'id', 'x', 'toJSON', '__proto__'),
      tie('value'),
      { maxKeys: 4 }
    )
  })).object as fc.Arbitrary<Record<string, unknown>>

  /** A sentinel under every name that must not leave, at any depth of what is declared. */
  const poison = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(poison)
    if (typeof value !== 'object' || value === null) return value

    return {
      ...Object.fromEntries(Object.entries(value).map(([name, field]) => [name, poison(field)])),
      undeclared: SECRET
    }
  }

  await fc.assert(
    fc.asyncProperty(part, part, fc.array(part, { maxLength: 3 }), async (top, address, parts) => {
      const { extra: _, ...rest } = top
      const record = {
        ...(poison(rest) as object),
        id: 0,
        key: SECRET,
        address: { ...(poison(address) as object), code: SECRET },
        parts: poison(parts)
      }
      const app = alula()

      app.use(
        'notes',
        { find: async () => [record], get: async () => record, create: async () => record },
        {
          schema: schema(Note, { hidden: ['key', 'address.code'] })
        }
      )

      for (const call of [
        app.service('notes').find({ provider: 'rest' }, createContext(app.service('notes'), 'find')),
        app.service('notes').get(0, { provider: 'rest' }, createContext(app.service('notes'), 'get')),
        app
          .service('notes')
          .create({ text: 'a', ownerId: 1 }, {}, createContext(app.service('notes'), 'create'))
      ]) {
        expect(JSON.stringify((await call).dispatch)).not.toContain(SECRET)
      }
    }),
    { numRuns: scaled(20_000) }
  )
})
