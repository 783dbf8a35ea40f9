import { spawn } from 'node:child_process'
import { once } from 'node:events'

const TIMEOUT = 30_000

/**
 * Starts the quickstart with `npm start` as the README says, sends one request, and stops it with SIGTERM.
 *
 * @param {string} folder The repository
 * @returns {Promise<string>} What it answered
 * @throws Error with the output when one of the steps fails
 */
export async function checkStart(folder) {
  // In a group of its own, so that nothing of it is left when a step fails.
  const child = spawn('npm', ['start'], {
    cwd: folder,
    // npm passes the signal on to the shell that it started. dash dies of it and leaves the server running; bash
    // has replaced itself with the server by then.
    env: { ...process.env, PORT: '0', npm_config_script_shell: 'bash' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true
  })
  const closed = once(child, 'close')
  let output = ''

  const listening = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text

        const url = /http:\/\/localhost:\d+(?=\D)/.exec(output)?.[0]

        if (url) resolve(url)
      })
    }
  })

  const ended = closed.then(([code]) => {
    throw new Error(`It ended with code ${code} before it was asked to`)
  })

  // Nobody waits for it once the URL is there.
  ended.catch(() => {})

  try {
    const url = await inTime(Promise.race([listening, ended]), 'It printed no URL')
    const response = await inTime(fetch(`${url}/notes`), 'It did not answer')
    const body = await inTime(response.text(), 'It did not finish its answer')

    if (response.status !== 200) throw new Error(`GET /notes answered ${response.status}: ${body}`)
    JSON.parse(body)

    child.kill('SIGTERM')

    const [code, signal] = await inTime(closed, 'It did not end after SIGTERM')

    if (code !== 0) throw new Error(`After SIGTERM it ended with code ${code ?? signal} and not with 0`)

    return `GET /notes answered ${body}`
  } catch (error) {
    killGroup(child)

    throw new Error(`${error.message}\n${output}`, { cause: error })
  }
}

function killGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}

async function inTime(promise, sentence) {
  let timer

  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${sentence} within ${TIMEOUT / 1000} seconds`)), TIMEOUT)
  })

  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
