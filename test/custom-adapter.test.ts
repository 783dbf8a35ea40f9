import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { adapterTests } from 'alula-testing/adapters'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
// @ts-expect-error It is plain JavaScript.
import { FileService } from '../examples/custom-adapter/file-service.js'
// @ts-expect-error It is plain JavaScript.
import { RecordFile } from '../examples/custom-adapter/record-file.js'
import { type RunningExample, runExample } from './support/example.ts'
import { readBlocks } from './support/page.ts'
import { scaled } from './support/scale.ts'
import { expectSession } from './support/session.ts'

const README = resolve(import.meta.dirname, '../examples/custom-adapter/README.md')
const JSON_HEADERS = { 'Content-Type': 'application/json' }

/** A path for a file of records, in a folder that is gone after the test. */
async function temporaryPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alula-'))

  onTestFinished(() => rm(folder, { recursive: true }))

  return join(folder, 'messages.jsonl')
}

function startExample(path: string): Promise<RunningExample> {
  vi.stubEnv('FILE', path)
  onTestFinished(() => void vi.unstubAllEnvs())

  return runExample('custom-adapter/app.js')
}

async function openService(path: string, options = {}): Promise<any> {
  const file = await RecordFile.open(path)

  onTestFinished(() => file.close())

  return new FileService({ file, ...options })
}

it('the README shows what happens', async () => {
  const path = await temporaryPath()
  const { url } = await startExample(path)
  const [start, session] = readBlocks(await readFile(README, 'utf8'), 'console') as [string, string]

  expect(start).toMatch(/^\$ FILE=\S+ node examples\/custom-adapter\/app\.js\n/)
  await expectSession([session], { 'localhost:3030': url, '/tmp/messages.jsonl': path })
})

it('the adapter has less than 150 lines', async () => {
  const sources = await Promise.all(
    ['file-service.js', 'record-file.js'].map((file) => readFile(resolve(README, '..', file), 'utf8'))
  )

  expect(sources.join('').split('\n').length - 1).toBeLessThan(150)
})

it('a torn last line is left out, and the next write takes its place', async () => {
  const path = await temporaryPath()

  await writeFile(path, '[["1",{"id":1,"text":"Hello"}]]\n[["2",{"id":2,"te')

  const service = await openService(path)

  expect(await service.find()).toEqual([{ id: 1, text: 'Hello' }])
  await service.create({ id: 3 })
  expect(await readFile(path, 'utf8')).toBe('[["1",{"id":1,"text":"Hello"}]]\n[["3",{"id":3}]]\n')
})

it('a line in the middle that is damaged is an error, and nothing is changed', async () => {
  const path = await temporaryPath()
  const text = '[["1",{"id":1\n[["2",{"id":2}]]\n'

  await writeFile(path, text)

  await expect(RecordFile.open(path)).rejects.toThrow(SyntaxError)
  expect(await readFile(path, 'utf8')).toBe(text)
})

it('a write that fails is not stored, and the next one is', async () => {
  const path = await temporaryPath()
  const service = await openService(path)
  const { handle } = service.options.file
  const datasync = vi.spyOn(handle, 'datasync').mockRejectedValueOnce(new Error('The disk is full'))

  await expect(service.create({ id: 1, text: 'a long line, of which a part may be there' })).rejects.toThrow(
    'The disk is full'
  )
  expect(datasync).toHaveBeenCalledOnce()
  await expect(service.create({ id: 2 })).resolves.toEqual({ id: 2 })

  const reopened = await openService(path)

  expect(await service.find()).toEqual([{ id: 2 }])
  expect(await reopened.find()).toEqual([{ id: 2 }])
})

it('a write of several records is stored as a whole or not at all', async () => {
  const path = await temporaryPath()
  const service = await openService(path, { multi: true })

  await service.create({ id: 2 })
  await expect(service.create([{ id: 1 }, { id: 2 }])).rejects.toMatchObject({ name: 'Conflict', code: 409 })

  expect(await service.find()).toEqual([{ id: 2 }])
  expect(await readFile(path, 'utf8')).toBe('[["2",{"id":2}]]\n')
})

adapterTests(
  { describe, it },
  {
    name: 'custom-adapter',
    create: async (options) => {
      const folder = await mkdtemp(join(tmpdir(), 'alula-'))

      return new FileService({
        ...options,
        folder,
        file: await RecordFile.open(join(folder, 'records.jsonl'))
      })
    },
    close: async (service) => {
      await service.teardown()
      await rm(service.options.folder, { recursive: true })
    },
    // It keeps JSON, which has text for dates.
    features: { dates: false },
    random: { runs: scaled(200) }
  }
)

/** What clients were told about the records of one round: the last version of each. */
interface Told {
  readonly versions: Map<string, number>
  /** Ids of records that were created together. */
  readonly batches: string[][]
}

/** Creates and patches records until the server is gone. Reports each answer. */
async function write(url: string, client: string, told: Told, onAnswer: () => void): Promise<void> {
  const send = async (path: string, method: string, data: unknown) => {
    const response = await fetch(url + path, { method, headers: JSON_HEADERS, body: JSON.stringify(data) })

    await response.text()
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`)
    onAnswer()
  }

  for (let round = 0; ; round++) {
    const batch = ['a', 'b', 'c'].map((name) => `${client}-${round}-${name}`)
    const [first] = batch as [string]

    told.batches.push(batch)

    try {
      const text = 'x'.repeat(round % 7 === 0 ? 10_000 : 10)

      await send(
        '/messages',
        'POST',
        batch.map((id) => ({ id, version: 1, text }))
      )
      for (const id of batch) told.versions.set(id, 1)
      await send(`/messages/${first}`, 'PATCH', { version: 2 })
      told.versions.set(first, 2)
    } catch (error) {
      // `fetch` says so when there is nobody to answer; anything else is wrong.
      if (error instanceof TypeError) return
      throw error
    }
  }
}

it('SIGKILL during writes loses nothing that was answered', { timeout: 600_000 }, async () => {
  const path = await temporaryPath()
  const told: Told = { versions: new Map(), batches: [] }

  for (let kill = 0; kill < scaled(60); kill++) {
    const example = await startExample(path)
    let answers = 0
    let stopped: Promise<number | null> | undefined

    await Promise.all(
      Array.from({ length: 8 }, (_, client) =>
        write(example.url, `${kill}-${client}`, told, () => {
          // At another moment in every round.
          if (++answers === 50 + kill * 13) stopped = example.stop('SIGKILL')
        })
      )
    )

    await stopped
    if (kill % 2 === 0) await appendFile(path, '[["torn",{"id":"to')

    const records = new Map<string, any>()

    for (const record of await (await openService(path)).find()) records.set(record.id, record)

    const missing = [...told.versions].filter(([id, version]) => !(records.get(id)?.version >= version))
    const parts = told.batches.filter((batch) => new Set(batch.map((id) => records.has(id))).size > 1)

    expect({ missing, parts }).toEqual({ missing: [], parts: [] })
  }
})
