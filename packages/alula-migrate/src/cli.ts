#!/usr/bin/env node
import { runCommand } from './command.ts'

const { code, output } = runCommand(process.argv.slice(2))

process.exitCode = code
process[code === 0 ? 'stdout' : 'stderr'].write(output)
