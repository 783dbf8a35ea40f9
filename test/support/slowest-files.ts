import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const COUNT = 10

/** Prints at the end which files of tests have taken the longest: their tests, and what they import. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = toLines(modules.map((module) => ({ name: toName(module), seconds: toSeconds(module) })))

    if (lines.length > 0) console.log(lines.join('\n'))
  }
}

interface TestFile {
  readonly name: string
  readonly seconds: number
}

/** The slowest files, and their share of all; nothing for a single file. */
export function toLines(files: readonly TestFile[]): readonly string[] {
  if (files.length < 2) return []

  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, COUNT)
  const [part, total] = [slowest, files].map((some) =>
    some.reduce((sum, { seconds }) => sum + seconds, 0)
  ) as [number, number]
  const share = total === 0 ? 0 : Math.round((part / total) * 100)

  return [
    ` Slowest     ${share} % of ${total.toFixed(1)} s are in ${slowest.length} of ${files.length} files`,
    ...slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(9)} s  ${name}`)
  ]
}

function toName({ moduleId, project }: TestModule): string {
  return relative(project.config.root, moduleId)
}

function toSeconds(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic()

  return (collectDuration + duration) / 1000
}
