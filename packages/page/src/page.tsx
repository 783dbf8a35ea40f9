import { render } from 'preact'
import type { LoginData, PageData } from '../../../src/openapi/page-data.ts'
import { App } from './app.tsx'
import { Identity } from './identity.ts'
import { FOLDER, isOk, send, toMessage } from './request.ts'
import { LoginForm } from './users.tsx'

async function start(): Promise<void> {
  const known = await send({ verb: 'GET', path: `${FOLDER}login.json` }, undefined)

  if (!isOk(known)) {
    show(<p class="alone">{toMessage(known)}</p>)
    return
  }

  const login = known.body as LoginData
  const lastCall = { at: Number.NEGATIVE_INFINITY }
  const identities = [1, 2].map((number) => new Identity(number, lastCall, login))

  document.title = login.title
  await open(login, identities)
}

/** Shows the application, or to those whom it is not for a login. */
async function open(login: LoginData, identities: readonly Identity[]): Promise<void> {
  const [first] = identities as [Identity]
  const outcome = await first.send({ verb: 'GET', path: `${FOLDER}data.json` })

  if (isOk(outcome)) {
    show(<App data={{ ...login, ...(outcome.body as PageData) }} identities={identities} />)
    return
  }

  show(
    <main class="alone card">
      <h1>{login.title}</h1>
      <p class="hint">{first.isLoggedIn ? toMessage(outcome) : 'This page is not for everyone.'}</p>
      {login.login && (
        <LoginForm login={login.login} identity={first} onAct={() => void open(login, identities)} />
      )}
    </main>
  )
}

function show(content: preact.JSX.Element): void {
  render(content, document.getElementById('page') as HTMLElement)
}

void start()
