import { type IdempotencyOptions, idempotency } from '../../../src/idempotency.ts'
import type { Application } from '../../../src/index.ts'
import type { OpenTransport, TransportClient } from '../../support/transports.ts'

/** Opens a transport to an application that takes idempotency keys, and sets it up. */
export async function start(
  open: OpenTransport,
  configure: (app: Application) => void,
  options?: IdempotencyOptions
): Promise<{ app: Application; client: TransportClient }> {
  let app: Application | undefined
  const client = await open((opened) => {
    app = opened
    app.configure(idempotency(options))
    configure(app)
  })

  await (app as Application).setup()

  return { app: app as Application, client }
}
