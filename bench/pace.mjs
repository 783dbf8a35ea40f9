// Requests at a fixed rate. `autocannon` keeps a rate by sending the requests of a second at its beginning, as fast as
// they are answered: a peak and then a pause, which is not what this measures. Nor can `node:http` send so many without
// becoming what is measured.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { DISTINCT_REQUESTS } from './http.mjs'

/**
 * Sends requests evenly, to the millisecond, whether or not those before are answered.
 *
 * @param {Client} client
 * @param {(index: number) => ClientRequest} toRequest Without a body
 * @param {object} pace
 * @param {number} pace.rate How many per second
 * @param {number} pace.seconds For how long
 * @returns {Promise<number[]>} How many milliseconds each took, waiting for a free connection included
 */
export async function sendAtRate({ port, connections }, toRequest, { rate, seconds }) {
  const requests = Array.from({ length: DISTINCT_REQUESTS }, (_, index) => toText(toRequest(index), port))
  const free = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const sockets = [...free]
  const amount = Math.round(rate * seconds)
  /** When each of those was due that no connection was free for. */
  const waiting = []
  const durations = []

  await new Promise((resolve, reject) => {
    const start = performance.now()
    let due = 0
    let sent = 0
    const timer = setInterval(sendDue, 1)

    function sendDue() {
      const now = performance.now()

      for (const end = Math.min(amount, ((now - start) / 1000) * rate); due < end; due++) waiting.push(now)
      sendWaiting()
      if (due === amount) clearInterval(timer)
    }

    function sendWaiting() {
      while (free.length > 0 && waiting.length > 0) sendOn(free.pop(), waiting.shift()).catch(fail)
    }

    async function sendOn(socket, since) {
      socket.write(requests[sent++ % DISTINCT_REQUESTS])
      await readAnswer(socket)
      durations.push(performance.now() - since)
      free.push(socket)
      if (durations.length === amount) resolve()
      else sendWaiting()
    }

    function fail(error) {
      clearInterval(timer)
      reject(error)
    }
  })

  for (const socket of sockets) socket.destroy()

  return durations
}

async function open(port) {
  const socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1')

  await once(socket, 'connect')

  return socket
}

/** Resolves when a whole answer is there; fails when it is an error. */
async function readAnswer(socket) {
  let answer = ''

  do answer += await readChunk(socket)
  while (!isWhole(answer))

  assert(answer.startsWith('HTTP/1.1 200 '), `Unexpected answer: ${answer}`)
}

function isWhole(answer) {
  const end = answer.indexOf('\r\n\r\n')

  return end !== -1 && answer.length - end - 4 === Number(/^content-length: (\d+)/im.exec(answer)[1])
}

function readChunk(socket) {
  return new Promise((resolve) => socket.once('data', resolve))
}

function toText({ method, path }, port) {
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: keep-alive\r\n\r\n`
}
