import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { errorHandler, notFound, serverOptions, toMiddleware } from 'alula/express'
import { prepareClose } from 'alula/node'
import express from 'express'
import { services } from './services.js'

const { PORT = 3030, PASSWORD, SECRET = randomBytes(48) } = process.env

if (!PASSWORD) throw new Error('The environment variable PASSWORD is missing: the password for logins')

const site = express()

// The log of the site.
site.use((request, response, next) => {
  const { method, originalUrl } = request

  response.on('finish', () => console.log(`${method} ${originalUrl} ${response.statusCode}`))
  next()
})

// Its login: a cookie with a name and its signature.
const sign = (text) => createHmac('sha256', SECRET).update(text).digest('base64url')
const isEqual = (a, b) => timingSafeEqual(Buffer.from(sign(a)), Buffer.from(sign(b)))

site.use((request, _response, next) => {
  const [, name, signature] = /(?:^|; )user=(\w+)\.([\w-]+)/.exec(request.headers.cookie) ?? []

  if (name && isEqual(signature, sign(name))) request.user = { name }
  next()
})

// What hooks see on `params`: the user of the site is the user of the services.
site.use('/api', (request, _response, next) => {
  request.feathers = { ...request.feathers, user: request.user }
  next()
})

// In front of `json()`, so that a body for a service is read, and refused, by the services.
site.use('/api', toMiddleware(services), notFound(), errorHandler({ html: false, logger: false }))

site.use(express.json())

site.get('/login', (_request, response) => {
  response.send(
    '<form method="post"><input name="name"><input name="password" type="password"><button>Log in</button></form>'
  )
})

site.post('/login', express.urlencoded(), ({ body }, response) => {
  const { name, password } = body ?? {}

  if (!/^\w+$/.test(name ?? '') || !isEqual(String(password), PASSWORD)) {
    response.status(403).send('<p>That is not right.</p>')
    return
  }

  response.cookie('user', `${name}.${sign(name)}`, { httpOnly: true, sameSite: 'strict' }).redirect('/')
})

// A page that calls a service, without HTTP.
site.get('/', async ({ user }, response) => {
  const { total } = await services.service('notes').find({ query: { $limit: 0 } })

  response.send(`<p>Hello ${user?.name ?? 'stranger'}, there are ${total} notes.</p>`)
})

site.post('/feedback', ({ body }, response) => {
  response.json({ thanks: String(body?.stars) })
})

site.use((_request, response) => {
  response.status(404).send('<p>There is no such page.</p>')
})

site.use((error, _request, response, _next) => {
  response.status(error.status ?? 500).send('<p>That went wrong.</p>')
})

await services.setup()

const server = createServer(serverOptions(site), site)
const close = prepareClose(server, services)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await close()
    await services.teardown()
  })
}

server.listen(Number(PORT), () => {
  console.log(`The site is on http://localhost:${server.address().port}`)
})
