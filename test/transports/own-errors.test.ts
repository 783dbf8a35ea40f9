import { expect, it } from 'vitest'
import { Conflict } from '../../src/errors.ts'
import { describeRemoteTransports } from '../support/transports.ts'

class Own extends Conflict {
  private readonly shown: unknown

  constructor(shown: unknown) {
    super('Taken', { secret: true })
    this.shown = shown
  }

  override toJSON(): any {
    return this.shown
  }
}

describeRemoteTransports('an error with a toJSON of its own', (open) => {
  const fail = async (error: unknown) => {
    const client = await open((app) => app.use('things', { find: async () => Promise.reject(error) }))

    return client.fail('find', 'things')
  }

  it('keeps its status, whatever that returns', async () => {
    for (const shown of [
      { message: 'Gone' },
      { code: 200 },
      { code: 500 },
      { code: 'x' },
      { code: undefined }
    ]) {
      expect(await fail(new Own(shown))).toMatchObject({ code: 409, name: 'Conflict', className: 'conflict' })
    }
  })

  it('decides on what is shown beside the status', async () => {
    expect(
      await fail(new Own({ name: 'Mine', message: 'Gone', className: 'mine', data: { a: 1 }, extra: 1 }))
    ).toEqual({
      name: 'Mine',
      message: 'Gone',
      code: 409,
      className: 'mine',
      data: { a: 1 }
    })
    expect(await fail(new Own({ message: 'Gone' }))).toEqual({
      name: 'Conflict',
      message: 'Gone',
      code: 409,
      className: 'conflict'
    })
  })

  it('is an error still when that returns nothing, or throws', async () => {
    for (const shown of [undefined, null, 5, 'text']) {
      expect(await fail(new Own(shown))).toMatchObject({ code: 409, message: 'Taken' })
    }

    const failing = Object.assign(new Conflict('Taken'), {
      toJSON: () => {
        throw new Error('secret')
      }
    })

    expect(await fail(failing)).toMatchObject({
      code: 500,
      message: 'An unexpected error occurred on the server'
    })
  })
})
