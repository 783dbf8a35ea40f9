import { alula, authentication, rest } from './client.js'

const app = alula()

app.configure(rest(location.origin).fetch(fetch.bind(window)))
app.configure(authentication())

const [status, login, logout] = ['status', 'login', 'logout'].map((id) => document.getElementById(id))

function show(text, isLoggedIn) {
  status.textContent = text
  login.hidden = isLoggedIn
  logout.hidden = !isLoggedIn
}

logout.addEventListener('click', async () => {
  await app.logout()
  show('Logged out.', false)
})

try {
  // With the token that is kept, or with what the login has left in the URL.
  const { user } = await app.authenticate()
  const { name, email } = await app.service('users').get(user.id)

  show(`Hello ${name}. Your address is ${email}.`, true)
} catch (error) {
  show(error.name === 'OauthError' ? `That did not work: ${error.message}.` : 'You are not logged in.', false)
}
