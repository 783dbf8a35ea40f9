import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import bcrypt from 'bcryptjs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BcryptHasher } from '../../src/authentication.ts'

const run = promisify(execFile)

function createHasher(cost = 4): BcryptHasher {
  const hasher = new BcryptHasher(cost)

  onTestFinished(() => hasher.close())

  return hasher
}

/** The threads that get something to do from now on, in order. */
function watchThreads(): Worker[] {
  const post = vi.spyOn(Worker.prototype, 'postMessage')

  onTestFinished(() => post.mockRestore())

  return post.mock.contexts as unknown as Worker[]
}

/** How often the event loop goes round until something is done. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false

  const end = work.finally(() => {
    isDone = true
  })

  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    turns++
  }
  await end

  return turns
}

describe('a bcrypt hasher', () => {
  it('makes hashes that bcrypt knows, and knows those of bcrypt', async () => {
    const hasher = createHasher(5)
    const hash = await hasher.hash('pässword')

    expect(hash).toMatch(/^\$2b\$05\$/)
    expect(bcrypt.compareSync('pässword', hash)).toBe(true)
    expect(await hasher.compare('pässword', bcrypt.hashSync('pässword', 4))).toBe(true)
    expect(await hasher.compare('password', bcrypt.hashSync('pässword', 4))).toBe(false)
  })

  it('takes a message of Node about the modules of its thread for no result', async () => {
    const hasher = createHasher()
    const hash = bcrypt.hashSync('password', 4)

    // As Node 24 does below `node --watch`.
    process.once('worker', (worker) => worker.emit('message', { 'watch:require': [null] }))

    expect(
      await Promise.all([
        hasher.compare('password', hash),
        hasher.compare('wrong', hash),
        hasher.hash('password')
      ])
    ).toEqual([true, false, expect.stringMatching(/^\$2b\$04\$/)])
  })

  it('takes 72 bytes and no more, and no NUL', async () => {
    const hasher = createHasher()

    for (const password of ['x'.repeat(72), 'ä'.repeat(36)]) {
      const hash = await hasher.hash(password)

      expect(await hasher.compare(password, hash)).toBe(true)
      expect(await hasher.compare(`${password}x`, hash)).toBe(false)
      expect(await hasher.compare(password.slice(0, -1), hash)).toBe(false)
    }

    for (const password of ['x'.repeat(73), 'ä'.repeat(37), 'a\0', '\0']) {
      await expect(hasher.hash(password)).rejects.toMatchObject({ name: 'BadRequest', code: 400 })
    }

    expect(await hasher.compare('a\0b', bcrypt.hashSync('a\0b', 4))).toBe(false)
  })

  it('compares with what is no hash, and says no', async () => {
    const hasher = createHasher()
    const hash = await hasher.hash('')

    for (const wrong of [
      '',
      'password',
      `${hash}x`,
      hash.slice(0, -1),
      hash.replace('$2b', '$2c'),
      // Of a faulty implementation in PHP: bcryptjs refuses to compare with it.
      hash.replace('$2b', '$2x'),
      '$2b$04$'
    ]) {
      expect(await hasher.compare('', wrong), wrong).toBe(false)
    }

    expect(await hasher.compare('', hash)).toBe(true)
  })

  it('says which hashes are weaker than its own', () => {
    const hasher = createHasher(10)
    const rest = 'a'.repeat(53)

    expect(hasher.needsRehash(`$2b$09$${rest}`)).toBe(true)
    expect(hasher.needsRehash(`$2a$04$${rest}`)).toBe(true)
    expect(hasher.needsRehash(`$2b$10$${rest}`)).toBe(false)
    expect(hasher.needsRehash(`$2b$11$${rest}`)).toBe(false)
    expect(hasher.needsRehash('of another algorithm')).toBe(false)
  })

  it('has a cost that bcrypt knows', () => {
    for (const cost of [3, 32, 0, -4, 4.5, Number.NaN, Number.POSITIVE_INFINITY, '10', null, undefined, {}]) {
      expect(() => new BcryptHasher(cost as any), `${cost}`).toThrow(
        'Invalid cost of a bcrypt hash: expected an integer from 4 to 31'
      )
    }
    for (const cost of [4, 10, 31]) expect(() => createHasher(cost)).not.toThrow()
  })

  it('leaves the event loop to others', async () => {
    const hasher = createHasher(9)
    const hash = await hasher.hash('password')

    // On the event loop it would be one turn, or one in a tenth of a second.
    expect(await countTurns(hasher.hash('password'))).toBeGreaterThan(20)
    expect(await countTurns(hasher.compare('password', hash))).toBeGreaterThan(20)
    expect(await countTurns(hasher.compare('password', 'no hash'))).toBeGreaterThan(20)
    expect(await countTurns(hasher.compare('x'.repeat(73), hash))).toBeGreaterThan(20)
  })

  it('gives each of many callers their own answer', async () => {
    const hasher = createHasher()
    const passwords = Array.from({ length: 5 * availableParallelism() + 5 }, (_, n) => `password ${n}`)
    const hashes = await Promise.all(passwords.map((password) => hasher.hash(password)))
    const answers = await Promise.all(
      hashes.flatMap((hash, n) => [
        hasher.compare(`password ${n}`, hash),
        hasher.compare(`password ${n + 1}`, hash)
      ])
    )

    expect(new Set(hashes).size).toBe(passwords.length)
    expect(answers).toEqual(passwords.flatMap(() => [true, false]))
  })

  it('takes a hash of an impossible cost for none, and goes on', async () => {
    const hasher = createHasher()

    expect(await hasher.compare('password', `$2b$99$${'a'.repeat(53)}`)).toBe(false)
    expect(await hasher.compare('password', bcrypt.hashSync('password', 4))).toBe(true)
  })

  it('refuses to let a thousand wait', async () => {
    const hasher = createHasher()
    const hash = await hasher.hash('password')
    const attempts = await Promise.allSettled(
      Array.from({ length: 1100 }, () => hasher.compare('password', hash))
    )
    const refused = attempts.filter((attempt) => attempt.status === 'rejected')

    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThanOrEqual(100)
    for (const { reason } of refused) expect(reason).toMatchObject({ name: 'Unavailable', code: 503 })

    expect(await hasher.compare('password', hash)).toBe(true)
  })

  it('lets those who are known take turns with a thousand others that wait', async () => {
    const hasher = createHasher()
    const hash = await hasher.hash('password')
    let done = 0
    const others = Array.from({ length: 1100 }, () =>
      hasher.compare('wrong', hash).then(
        () => void done++,
        () => undefined
      )
    )

    expect(await hasher.compare('password', hash, undefined, true)).toBe(true)
    // One in each thread, and one of the other kinds at most.
    expect(done).toBeLessThan(20)
    await Promise.all(others)
    expect(done).toBeGreaterThanOrEqual(1000)
  })

  it('finishes what it was given when it is closed', async () => {
    const hasher = createHasher()
    const hashes = Promise.all(Array.from({ length: 10 }, () => hasher.hash('password')))
    let isDone = false

    void hashes.then(() => {
      isDone = true
    })
    await hasher.close()

    expect(isDone).toBe(true)
    expect(await hashes).toHaveLength(10)
  })

  it('fails the password of a thread that ends, and gives the next one to another', async () => {
    const threads = watchThreads()
    // It would take years.
    const [endless, hasher] = [createHasher(31), createHasher()]
    const lost = expect(endless.hash('password')).rejects.toThrow(
      'The thread that hashes passwords has ended'
    )

    await threads[0]?.terminate()
    await lost

    const next = expect(endless.hash('password')).rejects.toThrow()

    expect(threads).toHaveLength(2)
    expect(threads[1]).not.toBe(threads[0])
    await threads[1]?.terminate()
    await next

    expect(await hasher.compare('password', await hasher.hash('password'))).toBe(true)
  })

  it('gives nothing to a thread that has ended while there was nothing to do', async () => {
    const threads = watchThreads()
    const hasher = createHasher()
    const hash = await hasher.hash('password')
    const [idle] = threads as [Worker]
    const ended = once(idle, 'exit')

    await idle.terminate()
    await ended

    expect(await hasher.compare('password', hash)).toBe(true)
    expect(threads[1]).not.toBe(idle)
  })

  it('can be closed before it was used and twice, and used again', async () => {
    const hasher = createHasher()

    await hasher.close()
    await hasher.close()

    expect(await hasher.compare('password', await hasher.hash('password'))).toBe(true)
  })
})

describe('a process that has hashed', () => {
  const module = resolve(import.meta.dirname, '../../dist/authentication.js')

  function runScript(script: string): Promise<{ stdout: string }> {
    const prelude = `const { BcryptHasher } = await import(process.argv[1]); const hasher = new BcryptHasher(4);`

    return run(process.execPath, ['--input-type=module', '--eval', `${prelude} ${script}`, module])
  }

  it('ends although its workers were not closed', async () => {
    const { stdout } = await runScript(`
      console.log(await hasher.compare('password', await hasher.hash('password')))
    `)

    expect(stdout).toBe('true\n')
  })

  it('ends when the last password is done, and not before', async () => {
    const { stdout } = await runScript(`
      for (let n = 0; n < 5; n++) hasher.hash('password').then((hash) => console.log(hash.length))
    `)

    expect(stdout).toBe('60\n'.repeat(5))
  })

  it('that may start no thread says so', async () => {
    const permission = ['--permission', '--experimental-permission'].find((flag) =>
      process.allowedNodeEnvironmentFlags.has(flag)
    ) as string
    const prelude = `const { BcryptHasher } = await import(${JSON.stringify(module)});`
    const script = `${prelude} await new BcryptHasher(4).hash('password').catch(({ message }) => console.log(message))`
    const { stdout } = await run(process.execPath, [
      ...[permission, '--allow-fs-read=*', '--no-warnings'],
      ...['--input-type=module', '--eval', script]
    ])

    expect(stdout).toContain('The thread that hashes passwords cannot start: ')
    expect(stdout).toContain('ALULA_NO_HASHING_THREAD')
  })

  it('rejects all that wait when a thread has died and no other can start', async () => {
    const { stdout } = await runScript(`
      const { default: threads, Worker } = await import('node:worker_threads')
      const { availableParallelism } = await import('node:os')
      const { syncBuiltinESMExports } = await import('node:module')
      const started = []

      Worker.prototype.postMessage = function () {
        started.push(this)
      }

      const hashes = Array.from({ length: availableParallelism() + 4 }, (_, n) => hasher.hash('password' + n))

      threads.Worker = class {
        constructor() {
          throw new Error('no memory')
        }
      }
      syncBuiltinESMExports()
      for (const thread of started) await thread.terminate()
      for (const { reason } of await Promise.allSettled(hashes)) console.log(reason.message)
    `)
    const lines = stdout.trim().split('\n')

    expect(lines).toHaveLength(availableParallelism() + 4)
    expect(lines.at(-1)).toContain('cannot start: no memory')
  })
})
