// Paths as a document has them: `/notes/{id}`.
import type { PathValues } from '../document-requests.ts'

const PARAMETER = /\{(.+?)\}/g

/** The names of the parameters in a path of a document. */
export function listPathParameters(path: string): readonly string[] {
  return [...path.matchAll(PARAMETER)].map(([, name]) => name as string)
}

/** A path of a document with values in place of its parameters. */
export function fillPath(path: string, values: PathValues): string {
  return path.replaceAll(PARAMETER, (_all, name: string) => encodeURIComponent(String(values[name])))
}
