import { spawn } from 'node:child_process'
import type { Choices } from './choices.ts'

/** Installs the packages, and makes a database that needs no server, with the demo user. Throws an Error when npm fails. */
export async function prepare(folder: string, { template, database }: Choices): Promise<void> {
  const prefix = template === 'express' ? 'api:' : ''

  await runNpm(folder, ['install', '--no-audit', '--no-fund'])
  if (database !== 'sqlite') return

  for (const script of ['migrate', 'seed']) await runNpm(folder, ['run', '--silent', `${prefix}${script}`])
}

function runNpm(cwd: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    // On Windows npm is a script, which only a shell runs. The arguments are those above.
    const child = spawn('npm', args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })

    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else
        reject(
          new Error(`'npm ${args.join(' ')}' ended with code ${code} in '${cwd}'. The files are written.`)
        )
    })
  })
}
