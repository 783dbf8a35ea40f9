// A service call inside the process: what the hooks around a method cost, against calling the method itself.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { divide, formatSpread, printTable, runRounds, scaleRounds, toPath } from './lib.mjs'

/** Processes for each number of hooks; each measures all contestants several times. */
const PROCESSES = 4

const SCENARIOS = {
  'no hooks': {},
  '3 before, 3 after': { before: 3, after: 3 },
  '5 around': { around: 5 },
  '10 around': { around: 10 }
}

const results = await runRounds(Object.keys(SCENARIOS), scaleRounds(PROCESSES), measure)

printTable(
  'Service calls in the process, ns per call',
  ['hooks', 'direct call', 'alula', 'Feathers v5', 'alula ÷ direct', 'Feathers ÷ direct', 'Feathers ÷ alula'],
  [...results].map(([name, processes]) => [name, ...toCells(processes)])
)

/** In a fresh process: functions that have seen fewer hooks, or more, are compiled to other code. */
async function measure(name) {
  const child = fork(toPath('measure-hooks.mjs'), [JSON.stringify(SCENARIOS[name])])
  const [measured] = await once(child, 'message')

  return measured
}

function toCells(processes) {
  const [direct, alula, feathers] = ['direct', 'alula', 'feathers'].map((contestant) =>
    processes.flatMap((measured) => measured[contestant])
  )

  return [
    ...[direct, alula, feathers].map((times) => formatSpread(times, 0)),
    ...[divide(alula, direct), divide(feathers, direct), divide(feathers, alula)].map((ratios) =>
      formatSpread(ratios, 1)
    )
  ]
}
