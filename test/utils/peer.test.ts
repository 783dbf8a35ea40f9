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
