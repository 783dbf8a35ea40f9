#!/usr/bin/env node
import { runCommand } from './command.ts'

// An application may end the process, or wait for ever, while it is set up: that is no success.
const fail = () => {
  process.exitCode = 1
}

process.on('exit', fail)

const { code, output } = await runCommand(process.argv.slice(2))

process.off('exit', fail)
process.exitCode = code
// An application may keep connections open.
process[code === 0 ? 'stdout' : 'stderr'].write(output, () => process.exit())
