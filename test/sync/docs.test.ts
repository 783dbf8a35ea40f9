import { expect, it } from 'vitest'
import { readBlocks, readPage, readSection } from '../support/page.ts'
import { runServer, runToEnd } from '../support/program.ts'
import { createPrefix, describeOwnRedis, describeRedis, REDIS_URL, startRedis } from '../support/redis.ts'
import { expectSession } from '../support/session.ts'
import { shareProcess } from '../support/shared-process.ts'

const page = await readPage('scaling')
const shared = shareProcess({ REDIS_URL })

function block(heading: string): string {
  return readBlocks(readSection(page, heading), 'js')[0] as string
}

describeRedis('The page about several processes', () => {
  it('has processes and a job whose events reach a client of another process', async () => {
    const prefix = createPrefix()
    const [application, client] = readBlocks(page, 'js') as [string, string]
    const [session] = readBlocks(page, 'console') as [string]
    const [, request, received] = /\$ curl([\s\S]*?)(received .+)/.exec(session) as unknown as [
      string,
      string,
      string
    ]
    const own = (code: string) => code.replace('sync({', `sync({ prefix: '${prefix}',`)
    const one = await runServer(own(application), { REDIS_URL })
    const other = await runServer(own(application), { REDIS_URL })
    const listening = shared.runProgram(client.replace('localhost:3031', other.address))

    await listening.waitFor('connected')
    await expectSession([`$ curl${request}`], { 'localhost:3030': one.address })
    expect(await listening.waitFor('received')).toBe(received)

    await runToEnd(own(block('Background jobs')), { REDIS_URL })
    expect(await listening.waitFor('received')).toBe('received From a job')
    expect(await one.end('SIGTERM')).toBe(0)
    expect(await other.end('SIGTERM')).toBe(0)
  })

  it('tells what publishers in other processes get', async () => {
    const configured = block('What passes through Redis').replace("'shop'", `'${createPrefix()}'`)
    const program = shared.runProgram(`
import { alula } from 'alula'
import { sync } from 'alula/sync'

async function start(name) {
  const app = alula()

  app.use('messages', { create: async (data) => data })
  app.use('metrics', { create: async (data) => data })
  app.publish(() => app.channel('tenants/1'))
  ${configured}
  app.channel('tenants/1').join({})
  app.on('publish', (event, _channel, { path, params }) => {
    console.log('publish', name, path, JSON.stringify(params))
  })
  await app.setup()

  return app
}

const [one, other] = [await start('one'), await start('other')]
const params = { query: {}, user: { id: 1 }, tenant: 1, headers: { authorization: 'x' } }

await one.service('metrics').create({ n: 1 }, params)
await one.service('messages').create({ text: 'Hello' }, params)
`)

    expect(await program.waitFor('one metrics')).toContain('"headers"')

    // Each process publishes what it reads, in its own time.
    const lines = [await program.waitFor('messages'), await program.waitFor('messages')].sort()

    expect(lines[0]).toContain('publish one messages')
    expect(lines[0]).toContain('"headers"')
    expect(lines[1]).toBe('publish other messages {"query":{},"user":{"id":1},"tenant":1}')
  })

  it('has a store for revoked tokens without sync', async () => {
    const own = `'${REDIS_URL}', prefix: '${createPrefix()}'`
    const program = block('Revoked tokens').replace("'redis://localhost:6379'", own)

    await runToEnd(`
import { alula } from 'alula'

const app = alula()
${program}`)
  })

  it('has a store for failed logins', async () => {
    const own = `'${REDIS_URL}', prefix: '${createPrefix()}'`
    const program = block('Failed logins').replace("'redis://localhost:6379'", own)

    await runToEnd(`
import { alula } from 'alula'

const app = alula()
${program}`)
  })
})

describeOwnRedis('The page about several processes', () => {
  it('tells of an outage', async () => {
    const redis = await startRedis()
    const program = shared.runProgram(`
import { alula } from 'alula'
import { sync } from 'alula/sync'

const app = alula()

app.on('error', () => undefined)
app.configure(sync({ redis: '${redis.url}' }))
${block('When Redis is away').replaceAll('console.warn', 'console.log')}
await app.setup()
console.log('ready')
`)

    await program.waitFor('ready')
    await redis.kill()
    await program.waitFor('Redis is away')
    await redis.start()
    await program.waitFor('Redis is back')
  })
})
