// Runs units of systemd, on machines where systemd does not: what a unit starts, with its environment, and how it stops.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { onTestFinished } from 'vitest'

/** The processes of units, by the name of the unit, and how those that were stopped have ended. */
export interface Units {
  readonly running: ReadonlyMap<string, ChildProcess>
  /** The exit code or signal of each process that has ended. */
  readonly ends: readonly (number | string | null)[]
  /** What they have printed, as the journal keeps it. */
  readonly journal: readonly string[]
}

/**
 * Puts a command `systemctl` into a folder, which starts, restarts and stops the units of a template.
 *
 * @param file The template, such as `shop@.service`
 * @param bin The folder of the command
 * @returns What runs; it is killed when the test ends
 */
export async function startUnits(file: string, bin: string): Promise<Units> {
  const running = new Map<string, ChildProcess>()
  const ends: (number | string | null)[] = []
  const journal: string[] = []
  const socket = join(bin, 'systemctl.sock')

  function start(name: string): void {
    const instance = /@(.+)$/.exec(name)?.[1] ?? ''
    const unit = readUnit(readFileSync(file, 'utf8').replaceAll('%i', instance))
    const [command = '', ...args] = (unit.get('ExecStart') ?? '').split(' ')
    const env = {
      PATH: process.env.PATH,
      ...parseEnv(readFileSync(unit.get('EnvironmentFile') as string, 'utf8')),
      ...parseEnv(unit.get('Environment') ?? '')
    }
    const child = spawn(command.endsWith('/node') ? process.execPath : command, args, {
      cwd: unit.get('WorkingDirectory'),
      env,
      stdio: ['ignore', 'pipe', 'pipe']
    })

    running.set(name, child)
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => journal.push(text))
    }
    child.once('exit', (code, signal) => ends.push(signal ?? code))
  }

  async function stop(name: string): Promise<void> {
    const child = running.get(name)

    if (!child || child.exitCode !== null || child.signalCode !== null) return

    const exit = once(child, 'exit')

    child.kill('SIGTERM')
    await exit
  }

  const server = createServer(async ({ url = '' }, response) => {
    const [verb, ...names] = url
      .slice(1)
      .split('/')
      .filter((word) => !word.startsWith('-'))

    for (const name of names) {
      if (verb !== 'enable') await stop(name)
      if (verb !== 'stop') start(name)
    }
    response.end()
  })

  onTestFinished(() => {
    for (const child of running.values()) child.kill('SIGKILL')
    server.close()
  })
  server.listen(socket)
  await once(server, 'listening')
  writeFileSync(
    join(bin, 'systemctl'),
    `#!/bin/sh\nIFS=/\ncurl --silent --fail --unix-socket '${socket}' "http://localhost/$*"\n`,
    { mode: 0o755 }
  )

  return { running, ends, journal }
}

/** The settings of a unit by name, whatever their section. */
function readUnit(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name as string, value as string])
  )
}
