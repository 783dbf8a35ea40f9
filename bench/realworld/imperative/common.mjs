import { z } from 'zod'
import { authenticate } from '../../../dist/authentication.js'
import { Forbidden, NotFound, Unprocessable } from '../../../dist/errors.js'

export const signedIn = authenticate('jwt')

/** A token is not necessary, but has to be a good one. */
export async function maybeSignedIn(context) {
  if (context.params.authentication) await signedIn(context)
}

export const text = z.string().trim().min(1)

/** Takes data out of its envelope and checks it. */
export const body = (name, schema) => async (context) => {
  if (context.params.provider) context.data = parse(schema, context.data?.[name] ?? {})
}

export function parse(schema, value) {
  const { success, data, error } = schema.safeParse(value)

  if (success) return data

  const messages = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)

  throw new Unprocessable('Invalid data', { errors: { body: messages } })
}

/** Clients have the filters of Conduit, and no others. */
export async function noQuery({ params }) {
  if (params.provider) params.query = {}
}

export const status = (code) => async (context) => {
  if (context.params.provider) context.statusCode = code
}

export async function noContent(context) {
  context.statusCode = 204
  context.dispatch = null
}

/** Finds the article whose slug the path has. */
export async function loadArticle({ app, id, params }) {
  if (!params.provider) return

  const query = { slug: params.route?.slug ?? id }
  const [article] = await app.service('articles').find({ query, paginate: false })

  if (!article) throw new NotFound('Article not found')

  params.article = article
}

export function assertAuthor({ authorId }, user) {
  if (authorId !== user?.id) throw new Forbidden('Only the author may do this')
}
