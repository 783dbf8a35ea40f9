// The schemas by which no value is put in for a missing field.
import { isJsonSchema, type JsonSchema, mapParts } from '../schema/json-schema.ts'
import { toTarget } from '../schema/references.ts'

/**
 * Keywords whose schemas are tried: Ajv puts no values in there. Other libraries do, and name such fields as required in
 * results, and not in data.
 */
const TRIED: readonly string[] = ['anyOf', 'oneOf', 'not', 'if', 'contains']

/** The schemas that are tried in a schema, and those in them; one that has two places may be tried in one of them. */
export function listTried(root: JsonSchema): Set<JsonSchema> {
  const tried = new Set<JsonSchema>()
  const others = new Set<JsonSchema>()

  visit(root, others)

  return tried

  function visit(part: unknown, known: Set<JsonSchema>): void {
    if (Array.isArray(part)) {
      for (const one of part) visit(one, known)
    } else if (isJsonSchema(part) && !known.has(part)) {
      known.add(part)
      visit(toTarget(part, root), known)
      for (const keyword of TRIED) visit(part[keyword], tried)
      mapParts(part, (inner) => visit(inner, known))
    }
  }
}
