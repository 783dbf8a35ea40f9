/** The message of an error without its code, as it is in Feathers v5. */
export function withoutCode(message: string): string {
  return message.replace(/ \(ALULA_[A-Z_]+\)$/, '')
}
