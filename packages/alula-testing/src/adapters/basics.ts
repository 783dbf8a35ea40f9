import { assertFails, assertFound, assertIs, assertStored, toNames } from './assert.ts'
import { needs, rules } from './rule.ts'

export const options = rules('options', {
  'the service has the name of its id field': async ({ open, id }) => {
    const service = await open()

    assertIs(service.id, id)
    assertIs(id in (await service.create({ name: 'Ada' })), true)
  },

  'the service lists the events that it sends itself': async ({ open, same }) => {
    const service = await open({ events: ['testing'] })

    same([...service.events], ['testing'])
  },

  'without options a service returns arrays and changes single records only': async ({ open, same }) => {
    const service = await open()

    same(await service.find(), [])
    await assertFails(service.create([]), 'MethodNotAllowed')
    await assertFails(service.patch(null, {}), 'MethodNotAllowed')
    await assertFails(service.remove(null), 'MethodNotAllowed')
  },

  'options that change while the service runs count from the next call on': async ({ open }) => {
    const service = await open({ multi: false })

    service.options.multi = true
    service.options.paginate = { default: 1 }
    await service.create([{ name: 'Ada' }, { name: 'Bob' }])

    assertIs((await service.find()).limit, 1)
  },

  '`filters` lets a further name stand at the top of a query, and it is no condition': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }], { filters: { $note: true } })

    await assertFound(service, { $note: 'anything' }, ['Ada'])
  },

  'a converter in `filters` refuses a value by throwing': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }], {
      filters: {
        $note: () => {
          throw Object.assign(new Error('Invalid $note'), { name: 'BadRequest', code: 400 })
        }
      }
    })

    await assertFails(service.find({ query: { $note: 'anything' } }), 'BadRequest', '$note')
  }
})

export const underscoreMethods = rules('methods with an underscore', {
  '_find returns the records that match': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }, { name: 'Bob' }])

    assertIs(toNames(await service._find({ query: { name: 'Bob' } })).join(), 'Bob')
    assertIs((await service._find()).length, 2)
  },

  '_get returns the record that has the id and matches': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service._create({ name: 'Ada' })

    same(await service._get(ada[id]), ada)
    await assertFails(service._get(ada[id], { query: { name: 'Bob' } }), 'NotFound')
  },

  '_create stores several records whatever `multi` says': async ({ open }) => {
    const service = await open({ multi: false })

    assertIs(toNames(await service._create([{ name: 'Ada' }, { name: 'Bob' }])).join(), 'Ada,Bob')
    await assertStored(service, 'Ada', 'Bob')
  },

  '_update replaces a record': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service._create({ name: 'Ada', age: 36 })

    same(await service._update(ada[id], { name: 'Bob' }), { [id]: ada[id], name: 'Bob' })
    same(await service._get(ada[id]), { [id]: ada[id], name: 'Bob' })
  },

  '_patch changes several records whatever `multi` says': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }, { name: 'Bob' }], { multi: false })

    assertIs((await service._patch(null, { age: 36 })).length, 2)
    await assertFound(service, { age: 36 }, ['Ada', 'Bob'])
  },

  '_remove removes several records whatever `multi` says': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }, { name: 'Bob' }], { multi: false })

    assertIs((await service._remove(null)).length, 2)
    await assertStored(service)
  },

  'methods with an underscore select fields': async ({ open, id, same }) => {
    const service = await open()
    const params = { query: { $select: ['name'] } }
    const ada = await service._create({ name: 'Ada', age: 36 }, params)
    const selected = { [id]: ada[id], name: 'Ada' }

    same(ada, selected)
    same(await service._find(params), [selected])
    same(await service._get(ada[id], params), selected)
    same(await service._patch(ada[id], { age: 37 }, params), selected)
    same(await service._update(ada[id], { name: 'Ada', age: 38 }, params), selected)
    same(await service._remove(ada[id], params), selected)
  },

  '_create refuses an id that is taken': needs('chosenIds', async ({ open, id, chooseId }) => {
    const service = await open()

    await service._create({ [id]: chooseId(1), name: 'Ada' })
    await assertFails(service._create({ [id]: chooseId(1), name: 'Bob' }), 'Conflict')
    await assertStored(service, 'Ada')
  })
})
