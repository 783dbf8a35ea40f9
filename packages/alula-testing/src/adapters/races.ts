import { assertIs, assertStored } from './assert.ts'
import { needs, rules } from './rule.ts'
import type { TestedResult } from './types.ts'

const RIVALS = 50

export const races = rules('calls at the same time', {
  'of fifty that take what is free by a patch, one gets it': async ({ open, id }) => {
    const service = await open()
    const { [id]: key } = await service.create({ name: 'seat', team: 'free' })
    const outcomes = await race((rival) =>
      service.patch(key, { team: 'taken', position: rival }, { query: { team: 'free' } })
    )

    assertLosers(outcomes.failures, 'NotFound')
    assertIs(outcomes.results.length, 1)
    assertIs((await service.get(key)).position, outcomes.results[0].position)
  },

  'of fifty that take what is free by an update, one gets it': async ({ open, id }) => {
    const service = await open()
    const { [id]: key } = await service.create({ name: 'seat', team: 'free' })
    const outcomes = await race((rival) =>
      service.update(key, { name: 'seat', team: 'taken', position: rival }, { query: { team: 'free' } })
    )

    assertLosers(outcomes.failures, 'NotFound')
    assertIs((await service.get(key)).position, outcomes.results[0].position)
  },

  'of fifty that take what is free by a patch of all, one gets it': async ({ open }) => {
    const service = await open({ multi: true })

    await service.create({ name: 'seat', team: 'free' })

    const outcomes = await race((rival) =>
      service.patch(null, { team: 'taken', position: rival }, { query: { team: 'free' } })
    )

    assertIs(outcomes.failures.length, 0)
    assertIs(outcomes.results.flat().length, 1)
    assertIs((await service.find())[0].position, outcomes.results.flat()[0].position)
  },

  'of fifty that remove a record, one gets it': async ({ open, id }) => {
    const service = await open()
    const { [id]: key } = await service.create({ name: 'seat' })
    const outcomes = await race(() => service.remove(key))

    assertLosers(outcomes.failures, 'NotFound')
    await assertStored(service)
  },

  'of fifty that remove a record by a query, one gets it': async ({ open }) => {
    const service = await open({ multi: true })

    await service.create({ name: 'seat' })

    const outcomes = await race(() => service.remove(null, { query: { name: 'seat' } }))

    assertIs(outcomes.failures.length, 0)
    assertIs(outcomes.results.flat().length, 1)
  },

  'of fifty that create a record with one id, one does': needs(
    'chosenIds',
    async ({ open, id, chooseId }) => {
      const service = await open()
      const outcomes = await race((rival) => service.create({ [id]: chooseId(7), position: rival }))

      assertLosers(outcomes.failures, 'Conflict')
      assertIs((await service.get(chooseId(7))).position, outcomes.results[0].position)
    }
  ),

  'fifty that create records without an id get fifty ids': async ({ open, id }) => {
    const service = await open()
    const { results } = await race((rival) => service.create({ name: 'seat', position: rival }))

    assertIs(new Set(results.map((record) => String(record[id]))).size, RIVALS)
    assertIs((await service.find()).length, RIVALS)
  },

  'patches of different fields lose none': async ({ open, id }) => {
    const service = await open()
    const { [id]: key } = await service.create({ name: 'seat' })

    await Promise.all([
      service.patch(key, { age: 36 }),
      service.patch(key, { team: 'red' }),
      service.patch(key, { position: 7 })
    ])

    const { name, age, team, position } = await service.get(key)

    assertIs([name, age, team, position].join(), 'seat,36,red,7')
  }
})

/** Makes fifty calls at the same time, and tells what came of them. */
async function race(
  call: (rival: number) => Promise<TestedResult>
): Promise<{ results: TestedResult[]; failures: string[] }> {
  const outcomes = await Promise.allSettled(Array.from({ length: RIVALS }, (_, rival) => call(rival)))

  return {
    results: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    failures: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason?.name] : []))
  }
}

/** All but one have failed, in the same way. */
function assertLosers(failures: readonly string[], name: string): void {
  assertIs(
    failures.join(),
    Array(RIVALS - 1)
      .fill(name)
      .join()
  )
}
