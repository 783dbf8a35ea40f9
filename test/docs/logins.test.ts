import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { attackLogins, LOGIN_CHECK } from '../support/logins.ts'
import { readBlocks, readPage } from '../support/page.ts'
import { readAddress, readLines, toListening } from '../support/program.ts'
import { SECRET } from './support.ts'

// Programs that tests run are attacked when they have logins: see test/support/login-check.mjs.

const [program] = readBlocks(await readPage('authentication'), 'js') as [string]

/** Runs the program of the page on authentication with a change, and returns what an attack finds. */
async function attack(from: string, to: string): Promise<readonly string[]> {
  const code = toListening(program.replace(from, to))
  const child = spawn(process.execPath, [...LOGIN_CHECK, '--input-type=module', '--eval', code], {
    env: { ...process.env, SECRET },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc']
  })

  onTestFinished(() => void child.kill('SIGKILL'))
  await readAddress(readLines(child.stdout as NonNullable<typeof child.stdout>))

  return await attackLogins(child)
}

it('the program of the page on authentication is safe', async () => {
  expect(await attack('', '')).toEqual([])
})

it.each([
  ['a record that others change', "['create']", "['create', 'patch']", /^PATCH .* changes a record/],
  ['a record that others replace', "['create']", "['create', 'update']", /^PUT .* changes a record/],
  ['a record that others remove', "['create']", "['create', 'remove']", /^DELETE .* changes a record/],
  ['an address that others read', "['create']", "['create', 'get']", /^GET .* shows an address/],
  ['addresses that others list', "['create']", "['create', 'find']", /^GET .* shows an address/],
  ['a method that is open', "['create']", "['create', 'patch']", /^exposure: anyone may call 'patch'/],
  [
    'a password without a hash',
    "create: [hashPassword('password')], ",
    '',
    /stores a password without a hash/
  ],
  ['a hash that clients see', "after: { all: [protect('password')] }", '', /shows a hash/]
])('%s is found', async (_name, from, to, fault) => {
  expect(program).toContain(from)
  expect(await attack(from, to)).toContainEqual(expect.stringMatching(fault))
})

it('a fault of an application that is torn down is found', async () => {
  const code = toListening(program.replace("['create']", "['create', 'patch']"))
  const child = spawn(
    process.execPath,
    [...LOGIN_CHECK, '--input-type=module', '--eval', `${code}\nawait app.teardown()`],
    { env: { ...process.env, SECRET }, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }
  )

  await once(child, 'exit')
  expect(await attackLogins(child)).not.toEqual([])
})
