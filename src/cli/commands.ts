import { resolve } from 'node:path'
import { auditFile } from './audit.ts'
import { callService } from './call.ts'
import type { Command } from './command-outcome.ts'
import { searchDocs } from './docs.ts'
import { generateService } from './generate.ts'
import { describeFile } from './openapi.ts'

/** The commands by name. The help and the checks of arguments are made of this table. */
export const COMMANDS: { readonly [name: string]: Command } = {
  audit: {
    operands: '<file>',
    count: [1, 1],
    summary: 'prints who may call what of the application that a file exports as default or as app',
    options: {
      check: { value: '<snapshot>', text: 'names what differs from a printed table, and exits with 1' }
    },
    example: 'npx alula audit src/app.ts > exposure.json',
    run: ([file = ''], { check }) =>
      auditFile(resolve(file), check === undefined ? undefined : resolve(check))
  },
  openapi: {
    operands: '<file>',
    count: [1, 1],
    summary: 'prints the OpenAPI document of that application',
    options: { server: { value: '<url>', text: 'the address of the API; . when left out' } },
    example: 'npx alula openapi src/app.ts --server https://example.com/api > openapi.json',
    run: ([file = ''], { server }) => describeFile(resolve(file), server)
  },
  call: {
    operands: '<service> <method> [json]',
    count: [2, 3],
    summary: 'calls a method in this process, without a server; the JSON has id, data and query',
    options: {
      as: { value: '<user>', text: 'calls as a client with this login; an internal call when left out' },
      app: { value: '<file>', text: 'the file of the application; src/app.ts and the like when left out' }
    },
    example: `npx alula call notes find '{"query":{"done":false}}' --as ada@example.com`,
    run: ([service = '', method = '', json], { as, app }) => callService({ service, method, json, as, app })
  },
  docs: {
    operands: '<word>...',
    count: [1, 20],
    summary: 'searches the guides of this version: prints the best section, and names others',
    options: {},
    example: 'npx alula docs owner',
    run: (words) => searchDocs(words)
  },
  generate: {
    operands: 'service <name>',
    count: [2, 2],
    summary: 'adds a service to an application of npm create alula: schema, access, migration, test',
    options: {},
    example: 'npx alula generate service tasks',
    run: ([kind = '', name = '']) => generateService(kind, name)
  }
}
