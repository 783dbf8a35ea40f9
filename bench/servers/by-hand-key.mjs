import { createSecretKey } from 'node:crypto'
import { SECRET } from '../accounts.mjs'
import { createVerifier } from '../verify.mjs'
import { createServer as createServerByHand } from './by-hand.mjs'

/** The same, with a key for tokens that is made once. */
export function createServer(options) {
  return createServerByHand(options, createVerifier(createSecretKey(Buffer.from(SECRET))))
}
