import { expect, it } from 'vitest'
import { needs, rules } from '../../src/adapters/rule.ts'

const check = async () => undefined

it('a rule needs what all rules of its group need, and what it needs itself', () => {
  const { rules: made } = rules('group', { plain: check, special: needs('dates', check) }, ['cursors'])

  expect(made).toEqual([
    { sentence: 'plain', needs: ['cursors'], check },
    { sentence: 'special', needs: ['cursors', 'dates'], check }
  ])
})
