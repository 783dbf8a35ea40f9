// What a token is worth, for the servers that are written by hand.
import jsonwebtoken from 'jsonwebtoken'
import { createUserMap, JWT_OPTIONS, SECRET } from './accounts.mjs'

/**
 * Creates a function that returns the user whose token a request carries, if there is one.
 *
 * @param secret What `jsonwebtoken` gets: the text, which it reads as a key for every token, or a key
 */
export function createVerifier(secret = SECRET) {
  const users = createUserMap()
  const { algorithm, audience, issuer } = JWT_OPTIONS

  return ({ headers }) => {
    const [, token] = /^Bearer ([\w.-]+)$/i.exec(headers.authorization ?? '') ?? []

    try {
      const { sub } = jsonwebtoken.verify(token, secret, { algorithms: [algorithm], audience, issuer })

      return users.get(sub)
    } catch {
      return undefined
    }
  }
}
