#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { runCommand } from './command.ts'

// An application may end the process, or wait for ever, while it is set up: that is no success.
const fail = () => {
  writeSync(process.stderr.fd, 'The process ended before the application was set up.\n')
  process.exitCode = 1
}

process.on('exit', fail)

const { code, output } = await runCommand(process.argv.slice(2)).finally(() => process.off('exit', fail))

process.exitCode = code
// An application may keep connections open.
process[code === 0 ? 'stdout' : 'stderr'].write(output, () => process.exit())
