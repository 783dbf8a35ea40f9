import { expect, it } from 'vitest'
import { readGuide } from '../support/page.ts'
import { expectSession } from '../support/session.ts'
import { shareProcess } from '../support/shared-process.ts'

const guide = await readGuide('sessions')
const { runServer } = shareProcess({ SECRET: 'a secret for the page on sessions' })

it('a login lasts, is listed, and ends', async () => {
  const { sessions: first } = guide.read('Logins that last')
  const { blocks, sessions } = guide.read('End a session')
  const { address } = await runServer(guide.extend(...blocks))

  expect(sessions).not.toEqual([])
  await expectSession([...first, ...sessions], { 'localhost:3030': address })
})
