import { expect, it } from 'vitest'
import { closed } from '../../src/access.ts'
import { describeRemoteTransports } from '../support/transports.ts'

describeRemoteTransports('a closed method with routes', (open) => {
  it('is refused before what its routes expect is said', async () => {
    const client = await open((app) =>
      app
        .configure(closed())
        .use(
          'articles',
          { favorite: async () => ({}) },
          { methods: ['favorite'], routes: { 'POST /:slug/favorite': 'favorite' } }
        )
    )

    await expect(client.call('favorite', 'articles', { data: {} })).rejects.toMatchObject({
      code: 403,
      message: "The method 'favorite' of 'articles' is closed"
    })
  })
})
