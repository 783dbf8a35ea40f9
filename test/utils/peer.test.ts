import { expect, it } from 'vitest'
import { importPeer } from '../../src/utils/peer.ts'

it('a package that is installed is imported', async () => {
  const { URL: Imported } = await importPeer('node:url', "'alula/example'", () => import('node:url'))

  expect(Imported).toBe(URL)
})

it('of a package that is missing the error says what needs it and how to install it', async () => {
  const missing = 'a-package-that-is-not-there'
  const error = await importPeer(missing, "'alula/example'", () => import(missing)).catch(
    (reason: unknown) => reason
  )

  expect(error).toMatchObject({
    message: `'alula/example' needs the package '${missing}': npm install ${missing} (ALULA_MISSING_PACKAGE)`,
    code: 'ALULA_MISSING_PACKAGE',
    cause: expect.objectContaining({ message: expect.stringContaining(missing) })
  })
})

it('another command can install it', async () => {
  const load = () => Promise.reject(new Error('none'))

  await expect(importPeer('some', "'alula/example'", load, 'npm install some@1')).rejects.toThrow(
    "'alula/example' needs the package 'some': npm install some@1"
  )
})
