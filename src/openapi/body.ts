// The body of a request: JSON, and where the service accepts it, an HTML form.
import type { ManifestService } from '../manifest/services.ts'
import { getMethodDefinition } from '../schema/compile.ts'
import { describesObject, type JsonSchema } from '../schema/json-schema.ts'
import { readShape, type Shape } from '../schema/shape.ts'
import { toJsonContent } from './responses.ts'
import type { OpenApiContent, OpenApiEncoding } from './types.ts'

/** The data of a call. */
export interface CallData {
  readonly schema: JsonSchema
  readonly isRequired: boolean
  /** The data as a form, which is one object; missing for a list. */
  readonly form?: JsonSchema | undefined
}

/** `address[city]=Rome`. By default OpenAPI has a field that is an object as JSON. */
const DEEP: OpenApiEncoding = Object.freeze({ style: 'deepObject', explode: true })

/** Describes a body by its media type. */
export function toBodyContent(service: ManifestService, method: string, data: CallData): OpenApiContent {
  const content = toJsonContent(data.schema)

  if (!service.acceptsForms || !data.form) return content

  const { envelope } = service.definition ?? {}
  const fields = listFields(service, method)

  // `items[0][name]=Oil`: OpenAPI has no words for it, and clients would send JSON.
  if (fields.some(([, { elements }]) => elements?.alternatives.some(describesObject))) return content

  const names =
    envelope?.request && envelope.one !== undefined
      ? [envelope.one]
      : fields.flatMap(([name, { alternatives }]) => (alternatives.some(describesObject) ? [name] : []))
  const encoding = Object.fromEntries(names.map((name) => [name, DEEP]))
  const form = { schema: data.form, ...(names.length > 0 && { encoding }) }

  return { ...content, 'application/x-www-form-urlencoded': form }
}

/** The fields of the data, with what they hold. */
function listFields({ definition }: ManifestService, method: string): readonly (readonly [string, Shape])[] {
  const schema = definition && (definition.data[method] ?? getMethodDefinition(definition, method)?.data)

  return schema ? [...readShape(schema).object.fields] : []
}
