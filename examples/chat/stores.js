import { memory } from 'alula/memory'
import { RedisService } from './redis-service.js'

/**
 * Where records are: in the memory of the process, or in Redis, where other processes find them too.
 *
 * @param {string} [url] The URL of Redis; nothing for memory
 */
export async function createStores(url) {
  if (!url) return { create: (_name, options) => memory(options), connect: () => {} }

  const { createClient } = await import('redis')
  const redis = createClient({ url })

  // It connects again by itself; the calls that need it fail meanwhile.
  redis.on('error', (error) => console.error(`Redis: ${error.message || error.code}`))

  return {
    create: (name, options) => new RedisService({ ...options, redis, key: `chat:${name}` }),

    connect: (app) =>
      app.hooks({
        setup: [
          async (_context, next) => {
            await redis.connect()
            await next()
          }
        ],
        teardown: [
          async (_context, next) => {
            try {
              await next()
            } finally {
              if (redis.isOpen) await redis.close()
            }
          }
        ]
      })
  }
}
