import { spawn } from 'node:child_process'

/**
 * Runs a command to its end.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, show?: boolean, timeout?: number }} [options]
 *   `env` is added to the environment; `show` also prints the output as it comes; `timeout` is in milliseconds
 * @returns {Promise<{ code: number | null, stdout: string, output: string }>} `output` is stdout and stderr
 */
export function run(command, args, { cwd, env, show = false, timeout } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout
    })
    let stdout = ''
    let output = ''

    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
      output += text
      if (show) process.stdout.write(text)
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text
      if (show) process.stderr.write(text)
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, output }))
  })
}

/**
 * Runs a command that has to succeed; takes what `run` takes and returns its standard output.
 *
 * @throws Error with the output, unless it was shown already
 */
export async function mustRun(command, args, options = {}) {
  const { code, stdout, output } = await run(command, args, options)

  if (code !== 0) {
    const end = code === null ? 'did not end by itself' : `ended with code ${code}`

    throw new Error(`'${[command, ...args].join(' ')}' ${end}\n${options.show ? '' : output}`)
  }

  return stdout
}
