// The hook of the guide in TypeScript, with the types of React that it uses.
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { runNode } from '../support/command.ts'
import { createPackageFolder } from '../support/package-folder.ts'
import { readBlocks, readPage, readSection } from '../support/page.ts'

const COMPILER = resolve(import.meta.dirname, '../../node_modules/typescript7/bin/tsc')

const FILES = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      noEmit: true
    }
  }),
  'react.d.ts': `
declare module 'react' {
  export function useEffect(effect: () => void | (() => void), dependencies?: readonly unknown[]): void
  export function useState<S = undefined>(): [S | undefined, (state: S | undefined) => void]
  export function useSyncExternalStore<S>(
    subscribe: (listener: () => void) => () => void,
    getSnapshot: () => S,
    getServerSnapshot?: () => S
  ): S
}`,
  'client.ts': `
import { alula, type ClientRecord, type ClientServices } from 'alula/client'
import { schema, type ServiceOf } from 'alula/schema'
import { z } from 'zod'

const notes = schema(z.object({ id: z.int(), text: z.string(), createdAt: z.date() }))

export type Note = ClientRecord<typeof notes>
export const client = alula<ClientServices<{ notes: ServiceOf<typeof notes> }>>()`,
  'notes.ts': `
import type { Note } from './client.ts'
import { useLive } from './use-live.ts'

export function useNotes(): readonly Note[] {
  const { data, error, isLoading } = useLive('notes', { text: 'Hello', $sort: { id: 1 } })

  // @ts-expect-error -- there is no such field
  useLive('notes', { txt: 'Hello' })
  // @ts-expect-error -- there is no such service
  useLive('note')
  // @ts-expect-error -- a date is a string
  data[0]?.createdAt.getTime()

  return isLoading || error ? [] : data
}`
}

it('live lists: the hook for React compiles in TypeScript, and knows records and queries', async () => {
  const [hook] = readBlocks(readSection(await readPage('live'), 'Live lists in React'), 'tsx')
  const folder = createPackageFolder()

  try {
    for (const [name, text] of Object.entries({ ...FILES, 'use-live.ts': hook as string }))
      writeFileSync(join(folder, name), text)

    expect((await runNode([COMPILER, '-p', folder, '--pretty', 'false'], { cwd: folder })).stdout).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 60_000)
