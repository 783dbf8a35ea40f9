import type { MigratedFile } from './migrate.ts'

/** The guide, where an application finds it once it is installed. */
const DOCUMENT = 'node_modules/alula/docs/migrating.md'

/**
 * Reports what a migration did: the changes by file, the places that need manual changes, and a summary. `dryRun`: whether
 * nothing was written.
 */
export function renderReport(files: readonly MigratedFile[], dryRun: boolean): string {
  const changes = files.flatMap(({ path, changes }) =>
    changes.map(({ line, text }) => `${path}:${line}  ${text}`)
  )
  const remarks = listRemarks(files).map(
    ({ file, line, message, guide }) => `${file}:${line}  ${message}\n  ${guide}`
  )
  const changed = files.filter((file) => file.changes.length > 0).length
  const paragraphs = [
    changes.join('\n'),
    remarks.length > 0 && ['Needs manual changes:', ...remarks].join('\n'),
    summarize(changes.length, changed, remarks.length, dryRun)
  ]

  return `${paragraphs.filter(Boolean).join('\n\n')}\n`
}

/** The same as JSON: how many lines would change, and what would be left for a human. */
export function renderCheck(files: readonly MigratedFile[]): string {
  const changes = files.flatMap((file) => file.changes).length

  return `${JSON.stringify({ changes, left: listRemarks(files) }, null, 2)}\n`
}

function listRemarks(files: readonly MigratedFile[]) {
  return files.flatMap(({ path, remarks }) =>
    remarks.map(({ line, text, anchor }) => {
      return { file: path, line, message: text, guide: `${DOCUMENT}#${anchor}` }
    })
  )
}

function summarize(changes: number, files: number, remarks: number, dryRun: boolean): string {
  if (changes + remarks === 0) return 'Nothing to do: no imports of Feathers v5 that alula replaces.'

  const done = `${count(changes, 'change')} in ${count(files, 'file')}`
  const left = `${count(remarks, 'place')} ${remarks === 1 ? 'needs' : 'need'} manual changes`
  const next = dryRun
    ? 'Nothing was written (--dry-run).'
    : changes > 0 && 'Next: npm install, then your tests.'

  return [`${done}, ${left}.`, next].filter(Boolean).join(' ')
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
