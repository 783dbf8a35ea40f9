import { z } from 'zod'
import { kysely } from '../../../dist/kysely.js'
import {
  assertAuthor,
  body,
  loadArticle,
  maybeSignedIn,
  noContent,
  signedIn,
  status,
  text
} from './common.mjs'
import { loadProfiles } from './users.mjs'

async function ofArticle({ params }) {
  params.query = { articleId: params.article.id, $sort: { id: 1 } }
}

async function addComment(context) {
  const { article, user } = context.params
  const now = new Date()

  context.data = {
    ...context.data,
    articleId: article.id,
    authorId: user.id,
    createdAt: now,
    updatedAt: now
  }
}

async function onlyAuthor({ service, id, params }) {
  assertAuthor(await service._get(id, { query: { articleId: params.article.id } }), params.user)
}

async function sendComments(context) {
  const { app, params, result } = context
  const list = [result].flat()
  const authorIds = list.map(({ authorId }) => authorId)
  const authors = await loadProfiles(app.get('db'), authorIds, params.user)
  const comments = list.map(({ articleId: _, authorId, ...comment }) => ({
    ...comment,
    author: authors.get(authorId)
  }))

  context.dispatch = Array.isArray(result) ? { comments } : { comment: comments[0] }
}

export function configureComments(app) {
  app.use('articles/:slug/comments', kysely({ Model: app.get('db'), name: 'comments' }), {
    methods: ['find', 'create', 'remove']
  })
  app.service('articles/:slug/comments').hooks({
    before: {
      find: [maybeSignedIn, loadArticle, ofArticle],
      create: [signedIn, loadArticle, body('comment', z.object({ body: text })), addComment],
      remove: [signedIn, loadArticle, onlyAuthor]
    },
    after: { find: [sendComments], create: [sendComments, status(200)], remove: [noContent] }
  })
}
