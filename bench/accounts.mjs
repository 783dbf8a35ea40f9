// Who logs in, for the servers with authentication: the same users, secret and claims in each.

export const SECRET = 'a secret for benchmarks, as long as a digest is'

const PASSWORD = 'correct horse'

/** bcrypt at a cost of 10, which is what all servers hash with. */
const HASH = '$2b$10$KFl1CcvwLj00GV2NvbENruK6WPyYwTdIGypW8bERDBkUFmpYhzjg6'

/** How many users there are. */
export const COUNT = 40

/** What all tokens say, and what a server has to check. */
export const JWT_OPTIONS = {
  header: { typ: 'access' },
  audience: 'https://example.com',
  issuer: 'bench',
  algorithm: 'HS256',
  expiresIn: '1d'
}

/** The setting `authentication`, for alula and for Feathers. */
export const SETTINGS = {
  secret: SECRET,
  service: 'users',
  entity: 'user',
  authStrategies: ['jwt', 'local'],
  jwtOptions: JWT_OPTIONS,
  local: { usernameField: 'email', passwordField: 'password', hashSize: 10 }
}

/** The users in a `Map`, by id as a string: that is how it stands in a token. */
export function createUserMap() {
  return new Map(createUsers().map((user) => [String(user.id), user]))
}

/** The options of the memory services for users, of alula and of Feathers. */
export function toUserOptions() {
  return { store: Object.fromEntries(createUserMap()), startId: COUNT + 1 }
}

/** What one of the users sends to log in. */
export function toLogin(index) {
  return { strategy: 'local', email: toEmail(index), password: PASSWORD }
}

function createUsers() {
  return Array.from({ length: COUNT }, (_, index) => ({
    id: index + 1,
    email: toEmail(index),
    password: HASH,
    createdAt: new Date(0).toISOString()
  }))
}

function toEmail(index) {
  return `user${index % COUNT}@example.com`
}
