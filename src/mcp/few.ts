// Three tools in place of many.
import type { Tool } from '@modelcontextprotocol/server'
import { isObject, isString } from '../utils/check.ts'
import { describeUnknown, type GivenArguments } from './arguments.ts'

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

/** The arguments of the three tools. Those that a tool does not have are empty. */
interface FewArguments {
  readonly tool: string
  readonly arguments: GivenArguments
}

/**
 * Reads the arguments of one of the three tools, or returns a sentence that says what is wrong. An ignored argument could have
 * been a condition.
 */
export function readFewArguments(schema: Tool['inputSchema'], given: GivenArguments): FewArguments | string {
  const names = Object.keys(schema.properties as object)
  const unknown = describeUnknown(names, given)
  const { tool = '', arguments: passed = {} } = given

  if (unknown !== undefined) return unknown
  if (names.includes('tool') && !isString(tool)) return "Invalid argument 'tool': expected the name of a tool"
  if (!isObject(passed)) return "Invalid argument 'arguments': expected an object"

  return { tool: tool as string, arguments: passed }
}
