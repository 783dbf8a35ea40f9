// Express' parsers, which leave `request.body` undefined without a body: middleware of Feathers v5 expects an object.
import express from 'express'

type Parser = ReturnType<typeof express.json>

/** Express' parser of JSON. Services need none: see `rest`. `request.body` is an object then, also without a body. */
export const json: typeof express.json = (options) => withObject(express.json(options))

/** Express' parser of HTML forms. `request.body` is an object then, also without a body. */
export const urlencoded: typeof express.urlencoded = (options) => withObject(express.urlencoded(options))

function withObject(parse: Parser): Parser {
  return (request, response, next) => {
    const parsed = request as { body?: unknown }
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers

    if (encoding === undefined && !(Number(length) > 0)) parsed.body ??= {}

    parse(request, response, next)
  }
}
