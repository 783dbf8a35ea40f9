import { beforeAll, describe, it } from 'vitest'
import { ask } from '../support/sockets.ts'
import { type Differences, expectCases, expectOutcomes } from './differences.ts'
import { ofAnswers } from './socketio-differential/answer-differences.ts'
import { ofCalls } from './socketio-differential/call-differences.ts'
import { ofConnections } from './socketio-differential/connection-differences.ts'
import { connectionScripts } from './socketio-differential/connections.ts'
import { eventScripts } from './socketio-differential/events.ts'
import { loginScripts } from './socketio-differential/logins.ts'
import { messages } from './socketio-differential/messages.ts'
import { publisherScripts } from './socketio-differential/publishers.ts'
import { ALULA, FEATHERS, type Library, normalize, run, summarize } from './socketio-differential/servers.ts'
import { configure } from './socketio-differential/services.ts'

// The same messages, and the same doings of an application, on the server of Feathers v5 and on ours: clients see the
// same in the same order, apart from what is listed by a row of docs/compatibility.md.

const scripts = [...publisherScripts, ...eventScripts, ...connectionScripts, ...loginScripts]
const differences: Differences = { ...ofCalls, ...ofAnswers, ...ofConnections }

describe('a message is answered as by Feathers, or as listed', () => {
  const answers = new Map<Library, Map<string, unknown>>()

  // Servers that remember nothing: one of each will do.
  beforeAll(async () => {
    for (const library of [FEATHERS, ALULA]) {
      const found = new Map<string, unknown>()

      answers.set(library, found)
      await run(library, { configure }, async ({ clients: [socket], settle }) => {
        for (const [name, [event, ...args]] of messages) {
          const answer = await Promise.race([
            ask(socket as any, event as string, ...args),
            settle().then(() => 'no answer')
          ])

          found.set(name, normalize(answer))
        }
      })
    }
  })

  it.each(messages.map(([name]) => name))('%s', (name) => {
    const outcomes = [FEATHERS, ALULA].map((library) => answers.get(library)?.get(name))

    expectOutcomes(differences, name, outcomes, summarize)
  })
})

describe('clients see the same as with Feathers, or what is listed', () => {
  it.each(scripts.map((script) => [script.title, script] as const))('%s', async (title, script) => {
    const outcomes = await Promise.all(
      [FEATHERS, ALULA].map((library) => run(library, script, (session) => script.act(session, library)))
    )

    expectOutcomes(differences, title, outcomes, summarize)
  })
})

it('every case has a name of its own, and every difference is a case', () => {
  expectCases(differences, [...messages.map(([name]) => name), ...scripts.map(({ title }) => title)])
})
