import type { Params } from '../../src/index.ts'
import { type McpCall, type McpOptions, mcp } from '../../src/mcp.ts'
import { expectType } from '../support/expect-type.ts'

const options: McpOptions = {
  resource: 'https://api.example.org/mcp',
  confirm: ['publish'],
  issuers: [
    { issuer: 'https://login.example.org', jwks: 'https://login.example.org/jwks', toUser: ({ sub }) => sub }
  ]
}

mcp(options)
mcp({ resource: 'https://api.example.org/mcp', confirm: false, style: 'few' })

// @ts-expect-error The resource is required.
mcp({})
// @ts-expect-error There are two styles.
mcp({ resource: '', style: 'many' })

expectType<McpCall | undefined>().of(({} as Params).mcp)
