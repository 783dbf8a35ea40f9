import type { Request } from 'express'
import { NodeRequest } from '../node/request.ts'
import { toHost } from '../transport/proxies.ts'

/** A request of Express, which knows about proxies by its own setting. */
export class ExpressRequest extends NodeRequest {
  override get host(): string | undefined {
    const { app, socket } = this.incoming as unknown as Request
    const trusts = app.get('trust proxy fn')

    return toHost(this.headers, trusts?.(socket.remoteAddress, 0) ? 1 : 0)
  }

  override get address(): string | undefined {
    return (this.incoming as unknown as Request).ip ?? super.address
  }
}
