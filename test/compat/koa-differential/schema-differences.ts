import type { Call } from './calls.ts'

/** What a call comes to in Feathers, and in alula; and a call that shows it. */
export interface Decision {
  readonly theirs: RegExp
  readonly ours: RegExp
  readonly example: Call
}

/** By the anchor of a row of docs/compatibility.md. */
export interface Decisions {
  readonly [row: string]: readonly Decision[]
}

const ask = (method: string, path: string, body?: unknown): Call => ({
  kind: 'request',
  as: 'ada',
  method,
  path,
  body
})

export const ENFORCED: Decisions = {
  'schema-errors': [
    {
      theirs: /^(?:400 )?BadRequest: validation failed/,
      ours: /^(?:400 )?BadRequest: Invalid (?:data|query): /,
      example: ask('POST', '/messages', { text: 1 })
    }
  ],
  'schema-ids': [
    {
      theirs: /./,
      ours: /^(?:404 )?NotFound: No record found for id '(?:abc|1\.5|01|1e0)'$/,
      example: ask('PATCH', '/messages/abc', { text: 1 })
    }
  ]
}

export const WITH_ONE_AJV: Decisions = {
  ...ENFORCED,
  'schema-queries': [
    {
      theirs: /^(?:200|undefined|(?:404 )?NotFound)/,
      ours: /^(?:400 )?BadRequest: Invalid query: '.*' expects a (?:number|string), got /,
      example: ask('GET', '/messages?userId=01')
    },
    {
      theirs: /"skip":1\.5/,
      ours: /"skip":1,/,
      example: ask('GET', '/messages?$skip=1.5')
    }
  ]
}
