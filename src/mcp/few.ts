// Three tools in place of many.
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { toText } from './results.ts'
import type { MethodTool } from './tools.ts'

const NAMED = { tool: { type: 'string', description: 'The name of a tool of list' } }

/** The three tools. */
export const FEW: readonly Tool[] = [
  {
    name: 'list',
    description: 'Lists the tools that there are, by name.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false }
  },
  {
    name: 'describe',
    description: 'Describes a tool and its arguments, as a JSON Schema.',
    inputSchema: { type: 'object', properties: NAMED, required: ['tool'], additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false }
  },
  {
    name: 'call',
    description: 'Calls a tool with the arguments that describe shows.',
    inputSchema: {
      type: 'object',
      properties: { ...NAMED, arguments: { type: 'object' } },
      required: ['tool'],
      additionalProperties: false
    },
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false }
  }
]

/** The result of `list`. */
export function listFew(tools: readonly MethodTool[]): CallToolResult {
  return toText(tools.map(({ tool: { name, description } }) => `${name}: ${description}`).join('\n'))
}

/** The result of `describe`. */
export function describeFew({ tool }: MethodTool): CallToolResult {
  return toText(JSON.stringify(tool))
}
