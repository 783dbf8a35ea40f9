import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { authenticate } from '../src/authentication.ts'
import { express, rest } from '../src/express.ts'
import { alula } from '../src/index.ts'
import { memory } from '../src/memory.ts'
import { socketio } from '../src/socketio.ts'
import { application, createSecured } from './support/mistakes.ts'
import { nextWarning } from './support/warnings.ts'

describe('a mistake that may be none is met by a warning:', () => {
  it('services that nothing leads to', async () => {
    const app: any = express(alula())

    app.use('messages', memory())

    const [warning] = await Promise.all([nextWarning('ALULA_NO_TRANSPORT'), app.listen(0)])

    expect(warning.message).toContain('app.configure(rest())')
    await app.teardown()
  })

  it.each([
    ['HTTP', () => rest()],
    ['sockets', () => socketio()]
  ])('but not where %s does', async (_name, createTransport) => {
    const warnings: any[] = []
    const app: any = express(alula())
    const listener = (warning: any) => warnings.push(warning)

    process.on('warning', listener)
    onTestFinished(() => void process.off('warning', listener))
    app.configure(createTransport())
    app.use('messages', memory())
    await app.listen(0)
    await setImmediate()

    expect(warnings.filter(({ code }) => code === 'ALULA_NO_TRANSPORT')).toEqual([])
    await app.teardown()
  })

  it('an error of a listener, in an application without an error listener, once', async () => {
    const app = application()
    const warnings: any[] = []
    const listener = (warning: any) => warnings.push(warning)

    process.on('warning', listener)
    onTestFinished(() => void process.off('warning', listener))
    app.service('messages').on('created', ({ author }: any) => author.name)
    await app.service('messages').create({})
    await app.service('messages').create({})
    await setImmediate()

    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      [
        'ALULA_UNHEARD_ERROR',
        expect.stringMatching(/^Unhandled error: Cannot read properties .*app\.on\('error'/)
      ]
    ])
  })

  it('a strategy in a hook that nobody has registered, once', async () => {
    const app = createSecured()
    const params = { provider: 'rest', authentication: { strategy: 'jwt', accessToken: 'none' } }
    const hook = authenticate('jtw')

    await app.setup()

    const call = () => hook({ app, params } as any)
    const [warning] = await Promise.all([
      nextWarning('ALULA_UNKNOWN_STRATEGY'),
      expect(call()).rejects.toThrow('strategy not allowed')
    ])

    expect(warning.message).toBe(
      "An authenticate hook names the strategy 'jtw', which is not registered. Did you mean 'jwt'?"
    )

    let count = 0
    const listener = () => count++

    process.on('warning', listener)
    onTestFinished(() => void process.off('warning', listener))
    await expect(call()).rejects.toThrow('strategy not allowed')
    await setImmediate()
    expect(count).toBe(0)
  })

  it('a query whose operator lacks its $, once for a service and not in production', async () => {
    const warnings: any[] = []
    const listener = (warning: any) => warnings.push(warning)
    const find = async (query: object, records: object[] = [{ id: 1, text: 'a' }]) => {
      const service = memory({ store: records as any })

      await service.find({ query })
      await service.find({ query })
      await setImmediate()
    }

    process.on('warning', listener)
    onTestFinished(() => void process.off('warning', listener))
    await find({ sort: 'text' })
    expect(warnings.splice(0).map(({ code, message }) => [code, message])).toEqual([
      [
        'ALULA_UNKNOWN_OPERATOR',
        "A query of a memory service found nothing, because no record has the field 'sort'. Did you mean '$sort'?"
      ]
    ])
    await find({ limit: 5 }, [{ id: 1, limit: 3 }])
    await find({ name: 'b' })
    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())
    await find({ limit: 5 })
    expect(warnings).toEqual([])
  })
})
