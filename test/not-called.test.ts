import { expect, it } from 'vitest'
import { closed } from '../src/access.ts'
import { events } from '../src/events.ts'
import { alula } from '../src/index.ts'
import { koa, rest } from '../src/koa.ts'
import { oauth } from '../src/oauth.ts'
import { openapi } from '../src/openapi.ts'
import { socketio } from '../src/socketio.ts'

it.each<[name: string, app: any, plugin: unknown]>([
  ['closed', alula(), closed],
  ['events', alula(), events],
  ['oauth', alula(), oauth],
  ['openapi', alula(), openapi],
  ['rest', koa(alula()), rest],
  ['socketio', alula(), socketio]
])('%s that is configured without a call is refused with the call', (name, app, plugin) => {
  expect(() => app.configure(plugin)).toThrow(
    expect.objectContaining({
      code: 'ALULA_NOT_CALLED',
      message: expect.stringContaining(`Call ${name}: app.configure(${name}()), not app.configure(${name})`)
    })
  )
})
