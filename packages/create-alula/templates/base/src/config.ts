import { existsSync } from 'node:fs'
import { z } from 'zod'

const Config = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  HOST: z.string().default('localhost'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3030),
  DATABASE_URL: z.string(),
  // Signs access tokens.
  SECRET: z.string().min(32)
})

// Variables of the environment take precedence over those in the file.
if (existsSync('.env')) process.loadEnvFile('.env')

const { data, error } = Config.safeParse(process.env)

if (error) {
  throw new Error(`The environment is not complete, see .env.example\n${z.prettifyError(error)}`)
}

/** The checked configuration: from the environment, and in development from `.env`. */
export const config = data
