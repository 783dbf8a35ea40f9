import { expect } from 'vitest'
import type { SessionStore, StoredSession } from '../../src/sessions/types.ts'
import type { Random } from '../support/random.ts'
import { until } from '../support/until.ts'
import { type createApp, DAY, type Socket, type stopClock, WREN } from './app.ts'

/** How long a session lasts at most. */
export const LIFETIME = 10 * DAY

/** After how long without a refresh a session ends. */
export const IDLE = 2 * DAY

export type Process = Awaited<ReturnType<typeof createApp>>

/** A session as its client and a thief know it, and as it has to be. */
export interface Known {
  readonly tokens: Set<string>
  readonly accessTokens: Set<string>
  /** What the tabs of the client share. */
  stored: { refreshToken: string; accessToken: string }
  /** The token that was stored before. */
  former: string | undefined
  /** Whether the client has sent that one after the current one was used. */
  isFormerRefused: boolean
  /** What a thief has copied. */
  stolen: string | undefined
  isOver: boolean
  readonly sockets: Set<Socket>
  readonly loginAt: number
  /** What the row has to hold, in part. */
  row: { counter: number; seen: number; refreshedAt: number }
}

/** A world of two processes with one store, one user with a client of many tabs, and a thief. */
export class World {
  readonly processes: readonly Process[]
  readonly store: SessionStore
  readonly random: Random
  readonly clock: ReturnType<typeof stopClock>
  readonly sessions: Known[] = []
  password = WREN.password

  constructor(processes: readonly Process[], store: SessionStore, random: Random, clock: World['clock']) {
    this.processes = processes
    this.store = store
    this.random = random
    this.clock = clock
  }

  get process(): Process {
    return this.random.pick(this.processes)
  }

  get live(): Known | undefined {
    return this.sessions.findLast((session) => !session.isOver)
  }

  async logIn(): Promise<void> {
    const former = this.live
    const carried = former && this.random.chance(0.5) ? former.stored.refreshToken : undefined
    const login = await this.process.logIn({ password: this.password, refreshToken: carried })

    if (carried && former) former.isOver = true
    // A login ends those of its user whose time is over.
    for (const session of this.sessions) session.isOver ||= this.isPast(session)
    this.sessions.push({
      tokens: new Set([login.refreshToken]),
      accessTokens: new Set([login.accessToken]),
      stored: login,
      former: undefined,
      isFormerRefused: false,
      stolen: undefined,
      isOver: false,
      sockets: new Set(),
      loginAt: this.clock.now(),
      row: { counter: 1, seen: 0, refreshedAt: this.clock.now() }
    })
  }

  /** Whether the time of a session is over. */
  isPast({ loginAt, row }: Known): boolean {
    const now = this.clock.now()

    return now >= loginAt + LIFETIME || now >= row.refreshedAt + IDLE
  }

  /** As one tab, or as several at once. The response may be lost. */
  async refresh(session: Known, tabs = 1): Promise<void> {
    const { refreshToken } = session.stored
    const socket = tabs === 1 && this.random.chance(0.3) ? this.pickSocket(session) : undefined
    const all = socket
      ? [await this.refreshOver(socket, refreshToken)]
      : await Promise.all(Array.from({ length: tabs }, () => this.process.refresh(refreshToken)))
    const [{ refreshToken: current, accessToken }] = all

    expect(new Set(all.map((login) => login.refreshToken)).size).toBe(1)
    this.noteRefresh(session)
    for (const login of all) this.note(session, login)

    // Lost: the token before the stored one is two behind now.
    if (this.random.chance(0.3)) {
      session.former = undefined

      return
    }

    session.former = refreshToken
    session.isFormerRefused = false
    session.stored = { refreshToken: current, accessToken }
  }

  /** A tab whose request was held up: another one has stored a newer token meanwhile. */
  async sendFormer(session: Known): Promise<void> {
    if (!session.former || session.isFormerRefused) return

    try {
      this.note(session, await this.process.refresh(session.former))
    } catch (error: any) {
      expect(error.data).toEqual({ reason: 'behind' })
      session.isFormerRefused = true
    }
  }

  async use(session: Known): Promise<void> {
    try {
      await this.process.use(session.stored.accessToken)
      this.noteUse(session)
    } catch (error: any) {
      this.noteUse(session, error)
    }
  }

  /** Another socket, or one in the place of a connection that is lost. */
  async connect(session: Known): Promise<void> {
    const lost = this.random.chance(0.5) ? this.pickSocket(session) : undefined
    const socket = this.process.connect(this.clock.now())

    if (lost) {
      lost.lose()
      session.sockets.delete(lost)
    }

    const [error] = await socket.call('create', 'authentication', {
      strategy: 'jwt',
      accessToken: session.stored.accessToken
    })

    if (error) socket.lose()
    else session.sockets.add(socket)
    this.noteUse(session, error)
  }

  /** As long as the session goes on, so does a socket: also when its access token has expired. */
  async talk(session: Known): Promise<void> {
    const socket = this.pickSocket(session)

    if (!socket) return

    const reply = await socket.call('find', 'notes')

    // Timers do not go by the clock of the model: a real one has looked at the session before.
    if (this.clock.now() < socket.since + IDLE) expect(reply).toEqual([null, ['a note']])
  }

  /** What a thief does with a copy may end the session, or not; with a token two behind it does. */
  async steal(session: Known): Promise<void> {
    if (!session.stolen) {
      session.stolen = session.stored.refreshToken

      return
    }

    const behind = session.row.counter - toCounter(session.stolen)
    const outcome = await this.process.refresh(session.stolen).then(
      (login) => {
        this.note(session, login)
        session.stolen = login.refreshToken

        return 'in'
      },
      (error) => error.data.reason
    )

    if (behind >= 2) expect(outcome).toBe('reuse')
    if (outcome === 'reuse') session.isOver = true
    // From here on the client and the thief are two who have the session: either may end it.
    else session.isFormerRefused = true
  }

  async changePassword(session: Known): Promise<void> {
    const login = await this.process.refresh(session.stored.refreshToken)

    this.noteRefresh(session)
    this.note(session, login)
    session.stored = login
    session.former = undefined
    this.password = `password ${this.random.integer(1_000_000)}`
    await this.process.patch(login.accessToken, { password: this.password })
    // Those of this session, too: their access tokens are from before. Clients connect again.
    for (const { sockets } of this.sessions) {
      await assertClosed(sockets)
      sockets.clear()
    }
    session.row = { ...session.row, seen: session.row.counter }

    for (const other of this.sessions) {
      if (other !== session) other.isOver = true
    }
  }

  /** From a backup of some refreshes ago. */
  async restore(session: Known): Promise<void> {
    const { row } = session
    const { id, counter, seen, refused, fingerprints, refreshedAt } = (await this.find(
      session
    )) as StoredSession

    await this.refresh(session)
    await this.store.update(id, {}, { counter, seen, refused, fingerprints, refreshedAt })
    session.row = row
    session.former = undefined
  }

  /** One row for each login. */
  async find(session: Known): Promise<StoredSession | undefined> {
    const [id = ''] = session.stored.refreshToken.split('.')

    return this.store.get(id)
  }

  /** No token works whose session is over. */
  async assertDead(): Promise<void> {
    for (const { tokens, accessTokens, sockets } of this.sessions.filter(({ isOver }) => isOver)) {
      for (const token of tokens) expect(await toStatus(this.process.refresh(token))).toBe(401)
      for (const token of accessTokens) expect(await toStatus(this.process.use(token))).toBe(401)
      await assertClosed(sockets)
    }
  }

  private pickSocket({ sockets }: Known): Socket | undefined {
    return sockets.size > 0 ? this.random.pick([...sockets]) : undefined
  }

  private async refreshOver(socket: Socket, refreshToken: string): Promise<any> {
    const [error, login] = await socket.call('create', 'authentication', {
      strategy: 'refresh',
      refreshToken
    })

    expect(error).toBeNull()
    socket.since = this.clock.now()

    return login
  }

  /** After an error a client refreshes: its token is old, or from before a new password. */
  private noteUse(session: Known, error?: any): void {
    const { row, stored } = session

    if (error) expect(error.message).toMatch(/jwt (expired|revoked)/)
    if (error?.message === 'jwt expired') return

    if (toCounter(stored.refreshToken) === row.counter && row.seen !== row.counter) {
      session.row = { ...row, seen: row.counter }
    }
  }

  /** What a refresh with the stored token does. */
  private noteRefresh(session: Known): void {
    const counter = toCounter(session.stored.refreshToken)

    if (counter >= session.row.counter) {
      session.row = { ...session.row, counter: counter + 1, refreshedAt: this.clock.now() }
    }
  }

  private note({ tokens, accessTokens }: Known, login: any): void {
    tokens.add(login.refreshToken)
    accessTokens.add(login.accessToken)
  }
}

function toCounter(refreshToken: string): number {
  return Number(refreshToken.split('.')[1])
}

async function toStatus(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'it works',
    (error) => error.code
  )
}

/** What ends a socket comes after the response to what has ended the session. */
async function assertClosed(sockets: Iterable<Socket>): Promise<void> {
  for (const socket of sockets) {
    // Its process may read the session first.
    await until(() => expect(socket.isClosed).toBe(true))
    expect(await socket.call('find', 'notes')).toMatchObject([{ code: 401 }])
  }
}
