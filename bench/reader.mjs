// A thread that reads something again and again until it is told to end, and then says how long each time took: the event loop of
// a program that sends thousands of requests is too busy to measure one.
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const { port, path, interval } = workerData
const agent = new Agent({ keepAlive: true })
const times = []
let isRunning = true

parentPort.once('message', () => {
  isRunning = false
})

while (isRunning) {
  const begun = performance.now()
  const [response] = await once(get({ agent, port, path }), 'response')

  response.resume()
  await once(response, 'end')
  times.push(performance.now() - begun)
  await pause(interval)
}

agent.destroy()
parentPort.postMessage(times)
