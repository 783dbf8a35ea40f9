// What asks the user first: the client shows the question, and comes back with what the server has signed.

import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type * as Sdk from '@modelcontextprotocol/server'
import { MemoryRevocationStore } from '../authentication/revocation.ts'
import { toSecrets } from '../authentication/secret-keys.ts'
import { isObject } from '../utils/check.ts'
import { deriveKey } from '../utils/derive-key.ts'
import type { Caller, Callers } from './callers.ts'

/** What the client keeps for the server: signed, and readable. */
interface State {
  readonly id: string
  /** A hash of the user, the tool and its arguments. */
  readonly call: string
}

/** What a confirmation is for. */
export interface ConfirmedCall {
  readonly tool: string
  readonly args: object
  readonly caller: Caller
}

/** For how long a question can be answered, in seconds. */
const LIFETIME = 600

/** How much of the arguments a question shows. */
const MAX_SHOWN = 1000

const PURPOSE = 'alula/mcp confirmation'

/** Asks users, and knows which answers count. */
export class Confirmations {
  private readonly callers: Callers
  private readonly sdk: typeof Sdk
  /** Without a secret that processes share. */
  private readonly ownKey = randomBytes(32)
  private readonly ownStore = new MemoryRevocationStore()

  constructor(callers: Callers, sdk: typeof Sdk) {
    this.callers = callers
    this.sdk = sdk
  }

  /**
   * Whether a call may be made: it asks for the answer of the user, or checks it. An answer counts once. `undefined` where the
   * user agrees; otherwise what the client has to ask, or a sentence that says why the call is not made.
   */
  async check(
    call: ConfirmedCall,
    capabilities: Sdk.ClientCapabilities | undefined,
    { mcpReq }: Sdk.ServerContext
  ): Promise<Sdk.InputRequiredResult | string | undefined> {
    if (!canAsk(capabilities)) {
      return `${call.tool} needs the consent of the user, and this client cannot ask for it: it has not declared 'elicitation'. Nothing was changed. Ask the user to make the change elsewhere`
    }

    const sent = mcpReq.requestState()
    const answer = mcpReq.inputResponses?.confirm

    if (typeof sent !== 'string' || !isObject(answer)) return this.ask(call)

    const state = await this.read(sent)

    if (state?.call !== toDigest(call)) {
      return 'The confirmation is not valid for this call, or has expired. Nothing was changed. Call the tool again without it'
    }
    if (answer.action !== 'accept') return 'The user has not agreed. Nothing was changed'
    if (!(await this.useOnce(state.id))) {
      return 'The confirmation was used already. Nothing was changed. Call the tool again without it'
    }

    return undefined
  }

  private async ask(call: ConfirmedCall): Promise<Sdk.InputRequiredResult> {
    const { inputRequired } = this.sdk
    const text = JSON.stringify(toShown(call.args))
    const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text

    return inputRequired({
      inputRequests: {
        confirm: inputRequired.elicit({
          message: `Allow ${call.tool} with ${shown}?`,
          requestedSchema: { type: 'object', properties: {} }
        })
      },
      requestState: await this.codec.mint({ id: randomUUID(), call: toDigest(call) })
    })
  }

  private async read(sent: string): Promise<State | undefined> {
    try {
      return await this.codec.verify(sent, undefined as never)
    } catch {
      return undefined
    }
  }

  /** The one of the configuration as it is now. */
  private get codec(): Sdk.RequestStateCodec<State> {
    const [secret] = toSecrets(this.callers.auth?.configuration.secret)

    return this.sdk.createRequestStateCodec({
      key: secret === undefined ? this.ownKey : deriveKey(secret, PURPOSE),
      ttlSeconds: LIFETIME
    })
  }

  /** Where the application remembers revoked tokens, which its processes may share. */
  private async useOnce(id: string): Promise<boolean> {
    const { auth } = this.callers
    const expiresAt = Date.now() + LIFETIME * 1000

    return auth ? auth.useOnce(id, expiresAt) : this.ownStore.revoke(id, expiresAt)
  }
}

/** Whether a client can show a form: it says so with each request, or at its start in the era before, which is not known here. */
function canAsk(capabilities: Sdk.ClientCapabilities | undefined): boolean {
  const { elicitation } = capabilities ?? {}

  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** The shortest first: what comes after a long query is cut, and the id says whether one record is concerned or all. */
function toShown(args: object): object {
  const toLength = (value: unknown) => JSON.stringify(value).length

  return Object.fromEntries(Object.entries(args).toSorted(([, a], [, b]) => toLength(a) - toLength(b)))
}

function toDigest({ tool, args, caller }: ConfirmedCall): string {
  return createHash('sha256')
    .update(JSON.stringify([caller.key, tool, args]))
    .digest('base64url')
}
