import { render } from 'preact'
import type { LoginData, PageData } from '../../../src/openapi/page-data.ts'
import { App } from './app.tsx'
import { Identity } from './identity.ts'
import { LoginForm } from './login-form.tsx'
import { FOLDER, isOk, send, toMessage } from './request.ts'

async function start(): Promise<void> {
  const known = await send({ verb: 'GET', path: `${FOLDER}login.json` })

  if (!isOk(known)) {
    show(<p class="alone">{toMessage(known)}</p>)
    return
  }

  const login = known.body as LoginData
  const lastCall = { at: Number.NEGATIVE_INFINITY }
  const create = (number: number) => new Identity(number, lastCall, login)
  let identities: readonly Identity[] = Identity.isKept(2) ? [create(1), create(2)] : [create(1)]
  const [first] = identities as [Identity]

  document.title = login.title
  await Promise.all(identities.map((identity) => identity.restore()))

  function add(number: number): Identity {
    const created = create(number)

    // Another list: the first one is the state of a component.
    identities = [...identities, created]

    return created
  }

  let { session } = first

  // Another user may not see this page: check again.
  first.subscribe(() => {
    if (first.session === session || login.isForAll) return

    session = first.session
    show(null)
    void open(login, { identities, create: add })
  })
  await open(login, { identities, create: add })
}

/** The identities that there are at first, and what makes a further one. */
interface Callers {
  readonly identities: readonly Identity[]
  readonly create: (number: number) => Identity
}

/** Shows the application, or to those whom it is not for a login. */
async function open(login: LoginData, callers: Callers): Promise<void> {
  const [first] = callers.identities as [Identity]
  const { session } = first
  const outcome = await first.send({ verb: 'GET', path: `${FOLDER}data.json` })

  if (session !== first.session) return
  if (isOk(outcome)) {
    show(<App data={{ ...login, ...(outcome.body as PageData) }} {...callers} />)
    return
  }

  show(
    <main class="alone card">
      <h1>{login.title}</h1>
      <p class="hint">{first.isLoggedIn ? toMessage(outcome) : 'This page is not for everyone.'}</p>
      {login.login && <LoginForm login={login.login} identity={first} onDone={() => undefined} />}
    </main>
  )
}

function show(content: preact.JSX.Element | null): void {
  // Rendering leaves what it has not made.
  document.getElementById('loading')?.remove()
  render(content, document.getElementById('page') as HTMLElement)
}

void start()
