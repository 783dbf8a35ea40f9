// What comes out of rewriting a file, whatever kind of file it is.

/** What was changed in a line. */
export interface Change {
  readonly line: number
  /** In words: what was there, and what is there now. */
  readonly text: string
}

/** The headings of docs/migrating.md that remarks lead to. */
export const ANCHORS = [
  'errors',
  'express-5',
  'jest',
  'names',
  'oauth',
  'packages-that-stay',
  'steps',
  'typescript',
  'manual-changes'
] as const

export type Anchor = (typeof ANCHORS)[number]

/** A place that needs a manual change. */
export interface Remark {
  readonly line: number
  readonly text: string
  /** The heading that has more about it. */
  readonly anchor: Anchor
}

export interface Rewritten {
  readonly text: string
  readonly changes: readonly Change[]
  readonly remarks: readonly Remark[]
  /** Packages that the new text loads, and modules of packages. */
  readonly packages: ReadonlySet<string>
}

/** A file that stays as it is, and what there is to say about it. */
export function unchanged(text: string, remark?: string, anchor: Anchor = 'manual-changes'): Rewritten {
  return {
    text,
    changes: [],
    remarks: remark === undefined ? [] : [{ line: 1, text: remark, anchor }],
    packages: new Set()
  }
}
