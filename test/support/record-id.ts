/** An id as databases have them: an object that knows what it equals. */
export class RecordId {
  readonly hex: string

  constructor(hex: string) {
    this.hex = hex
  }

  equals(other: unknown): boolean {
    return other instanceof RecordId && other.hex === this.hex
  }
}
