/** How many characters of a value from outside a message has. */
const MAX_LENGTH = 100

/** Cuts a value from outside, such as a path, for the message of an error. */
export function shorten(value: string): string {
  return value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value
}
