import { expect, it } from 'vitest'
import { describeBoth } from './both.ts'

/** Far more calls than fit on the stack. */
const CALLS = 20_000

describeBoth('a chain of calls', (createApp) => {
  it('does not overflow the stack where hooks and methods take no time', async () => {
    const app: any = createApp().use('things', {
      get: (id: number) => (id === 0 ? Promise.resolve({ id }) : app.service('things').get(id - 1))
    })

    app.service('things').hooks({ before: [() => undefined], after: [() => undefined] })

    expect(await app.service('things').get(CALLS)).toEqual({ id: 0 })
  })
})
