// References whose targets are written in their place.
import type { JsonSchema } from '../schema/json-schema.ts'
import { getReference, toTarget, withoutReference } from '../schema/references.ts'

/** More references in a row lead nowhere. */
const MAX_STEPS = 20

/** What a schema refers to that is a reference itself. */
export function inlineReference(root: JsonSchema): JsonSchema {
  let inlined = root

  for (let steps = 0; getReference(inlined) !== undefined && steps < MAX_STEPS; steps++) {
    inlined = extend(toTarget(inlined, root) ?? {}, inlined)
  }

  return inlined
}

/** What a reference leads to, with what is beside it: both hold. */
export function extend(target: JsonSchema, reference: JsonSchema): JsonSchema {
  const own = withoutReference(reference)
  const required = [target.required ?? [], own.required ?? []].flat()

  return {
    ...target,
    ...own,
    ...(own.properties !== undefined && { properties: Object.assign({}, target.properties, own.properties) }),
    ...(required.length > 0 && { required: [...new Set(required)] })
  }
}
