import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { expect } from 'vitest'
import { until } from '../support/until.ts'

/** A mail that a server has got. */
export interface Mail {
  /** The addresses that it is delivered to. */
  readonly to: readonly string[]
  /** The message with its headers. */
  readonly message: string
}

/** A mail server that delivers nothing. */
export interface MailServer {
  readonly url: string
  /** All mails so far. */
  readonly mails: readonly Mail[]
  /** Waits for a mail with this number, from 0, and returns it. */
  read(index: number): Promise<Mail>
  close(): Promise<void>
}

/** Starts a mail server on a free port. */
export async function startMailServer(): Promise<MailServer> {
  const mails: Mail[] = []
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, { envelope }, done) {
      text(stream).then((raw) => {
        // Quoted-printable: long lines are broken, and `=` is written as a number.
        const message = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')

        mails.push({ to: envelope.rcptTo.map(({ address }) => address), message })
        done()
      }, done)
    }
  })

  await once(smtp.listen(0, '127.0.0.1'), 'listening')

  return {
    url: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    mails,
    async read(index) {
      await until(() => expect(mails.length).toBeGreaterThan(index))

      return mails[index] as Mail
    },
    close: () => new Promise((resolve) => smtp.close(() => resolve()))
  }
}

/** The code after `#` in the link of a mail. */
export function readCode({ message }: Mail): string {
  return /https:\S+#(\S+)/.exec(message)?.[1] as string
}
