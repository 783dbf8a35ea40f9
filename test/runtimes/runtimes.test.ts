import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { describeUnless } from '../support/describe-unless.ts'
import { readBlocks, readPage } from '../support/page.ts'
import { describeOwnRedis, startRedis } from '../support/redis.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PROGRAMS = join(ROOT, 'test/servers/node_modules')

/** The runtimes, by the names that the recipe has for them, and the commands that run a file. */
const RUNTIMES = {
  Bun: [join(PROGRAMS, 'bun/bin/bun')],
  Deno: [join(PROGRAMS, 'deno/deno'), 'run', '--allow-all']
} as const

/** Calls the handler that the server of the recipe serves. */
const CALLS = `
const url = 'http://localhost:' + (server.port ?? server.addr.port) + '/notes'
const headers = { 'content-type': 'application/json' }

for (const [path, options] of [
  ['', { method: 'POST', headers, body: '{"text":"Hello"}' }],
  ['?text[$gte]=H&$select[]=text', undefined],
  ['/9', undefined],
  ['', { method: 'POST', headers, body: '{"text":' }]
]) {
  const response = await fetch(url + path, options)

  console.log(response.status, await response.text())
}

await (server.stop ?? server.shutdown).call(server)
`

/** What a file prints, line by line; or a module, where the file is `-`. */
async function run(
  [program, ...args]: readonly string[],
  file: string,
  { code = '', env = {} }: { readonly code?: string; readonly env?: NodeJS.ProcessEnv }
): Promise<readonly string[]> {
  const running = promisify(execFile)(program as string, [...args, file], {
    cwd: ROOT,
    env: { ...process.env, ...env }
  })

  running.child.stdin?.end(code)

  return (await running).stdout.trimEnd().split('\n')
}

for (const [name, command] of Object.entries(RUNTIMES)) {
  const lack = existsSync(command[0])
    ? undefined
    : `${name} is not there: node scripts/install-servers.mjs installs it`

  describeUnless(lack, name, () => {
    describeOwnRedis('with Redis', () => {
      it('runs servers, sockets, streams, logins, SQL and several processes, and ends by itself', async () => {
        const { url } = await startRedis()

        expect(
          await run(command, join(import.meta.dirname, 'program.mjs'), { env: { REDIS_URL: url } })
        ).toEqual([
          'a thread hashes "$2b$10$"',
          'no login 401',
          'a login "wren@example.com"',
          'HTTP 201,404',
          'an event {"text":"Héllo","id":1}',
          'a page [{"text":"Héllo","id":1}]',
          'polling 401',
          'a stream "text/event-stream; charset=utf-8"',
          'closed false',
          'closed after a request ["done"],false',
          'Koa {"text":"Hello","id":1}',
          'SQLite {"id":1,"text":"Hello","done":true,"due":"2026-12-01T09:00:00.000Z"},409',
          'Redis "created",{"text":"Hello","id":1}'
        ])
      })
    })

    it('serves the handler of the recipe by its line', async () => {
      const page = await readPage('recipes/23-runtimes')
      const [application] = readBlocks(page, 'js') as [string]
      const line = new RegExp(`^\\| ${name} \\| \`(.+)\` \\|$`, 'm').exec(page)?.[1]
      // Deno follows no link in node_modules, and runs no file there.
      const code = application.replace(
        /'alula(?:\/(\w+))?'/g,
        (_, entry = 'index') => `'${ROOT}/dist/${entry}.js'`
      )

      const served = `${code}\nconst server = ${line?.replace('3030', '0')}\n${CALLS}`
      const printed = await run(command, '-', { code: served })

      expect(printed.filter((text) => /^\d+ /.test(text))).toEqual([
        '201 {"text":"Hello","id":1}',
        '200 {"total":1,"limit":10,"skip":0,"data":[{"text":"Hello","id":1}]}',
        expect.stringMatching(/^404 .*No record found for id '9'/),
        expect.stringMatching(/^400 .*expected valid JSON/)
      ])
    })
  })
}
