import { createSecretKey } from 'node:crypto'
import { SECRET } from '../accounts.mjs'
import { createVerifier } from '../verify.mjs'
import { createServer as createFastify } from './fastify.mjs'

/** The same, with a key for tokens that is made once. */
export function createServer(options) {
  return createFastify(options, createVerifier(createSecretKey(Buffer.from(SECRET))))
}
