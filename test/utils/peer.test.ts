import { expect, it } from 'vitest'
import { rethrowMissingPeer } from '../../src/utils/peer.ts'

it('of a package that is missing the error says what needs it and how to install it', async () => {
  const missing = 'a-package-that-is-not-there'
  const loading = import(missing).catch(rethrowMissingPeer(missing, "'alula/example'"))

  await expect(loading).rejects.toMatchObject({
    message: `'alula/example' needs the package '${missing}': npm install ${missing} (ALULA_MISSING_PACKAGE)`,
    code: 'ALULA_MISSING_PACKAGE',
    cause: expect.objectContaining({ message: expect.stringContaining(missing) })
  })
})

it('another command can install it', () => {
  const rethrow = rethrowMissingPeer('some', "'alula/example'", 'npm install some@1')

  expect(() => rethrow(new Error('none'))).toThrow(
    "'alula/example' needs the package 'some': npm install some@1"
  )
})
