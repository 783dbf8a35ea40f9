// The names that generated clients call things by.

/** The names of a service in a document. */
export interface ServiceNames {
  /** Of a record: `Note` for `notes`. */
  readonly one: string
  /** Of the service: `Notes`. */
  readonly all: string
}

/** Gives names away once. */
export class Names {
  private readonly taken = new Set<string>()

  /** The name, or the first with a number after it that is free. */
  take(wanted: string): string {
    let name = wanted

    for (let count = 2; this.taken.has(name); count++) name = `${wanted}${count}`

    this.taken.add(name)

    return name
  }
}

/** The names of a service by its path: `users/:id/notes` is `UserNote` and `UserNotes`. */
export function toServiceNames(path: string): ServiceNames {
  const words = path
    .split('/')
    .filter((segment) => !segment.startsWith(':'))
    .map(toPascal)
    .filter((word) => word !== '')
  const last = words.pop() ?? 'Service'
  const before = words.map(toSingular).join('')

  return { one: before + toSingular(last), all: before + last }
}

/** `note-tags` is `NoteTags`. */
export function toPascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** Words that end like a plural and are none, or whose singular is the same. */
const SAME =
  /(?:news|series|species|lens|canvas|alias|atlas|bias|gas|chaos|means|headquarters|ics|ss|us|is)$/i

/** Words whose singular ends in `e` although other words with their ending have one without it. */
const WITH_E =
  /(?:movie|cookie|zombie|selfie|brownie|rookie|calorie|\btie|\bpie|cache|headache|niche|[^z]ze)s$/i

/** Plurals that have `es` after an `s`, `x`, `z`, `ch` or `sh`. */
const WITH_ES =
  /(?:ss|x|zz|ch|sh|status|virus|bonus|campus|census|\bbus|canvas|alias|atlas|bias|\bgas|lens)es$/i

/** Nothing is left away where it could be part of the word. */
function toSingular(word: string): string {
  if (SAME.test(word)) return word
  if (WITH_E.test(word)) return word.slice(0, -1)
  if (/[^aeiou]ies$/i.test(word)) return `${word.slice(0, -3)}y`
  if (WITH_ES.test(word)) return word.slice(0, -2)

  return /[^s]s$/i.test(word) ? word.slice(0, -1) : word
}
