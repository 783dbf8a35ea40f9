import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates an empty folder that is removed when this process ends, by default outside of the repository. */
export function createTempFolder(parent = tmpdir()) {
  // The real path, because TypeScript and npm print and compare real paths.
  const folder = realpathSync(mkdtempSync(join(parent, 'alula-')))

  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

  return folder
}

// A signal alone would end the process without its 'exit' event.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => process.exit(1))
}
