import { createEcho } from './servers.ts'

const echo = createEcho(({ query, headers, route }) => ({
  query,
  route,
  headers: { accept: headers.accept, language: headers['accept-language'], trace: headers['x-trace'] }
}))

/** Registers services that return what they were called with. */
export const configureEcho = (app: any) => {
  app.use('things', echo, { methods: Object.keys(echo) })
  app.use('users/:userId/things', echo)
  app.use(':one/:two/:three', echo)
}
