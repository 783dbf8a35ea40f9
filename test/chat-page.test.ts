import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  ADA,
  createUser,
  fillLogin,
  GRACE,
  join,
  KURT,
  read,
  resetSettings,
  runChat,
  seeLogin,
  signUp,
  write
} from './support/chat.ts'
import { describeChromium } from './support/chromium.ts'

resetSettings()

/** Sends a call that fails and waits for the answer: what was sent to the page before has arrived then. */
async function failToLogIn(page: Page): Promise<void> {
  await fillLogin(page, ADA, 'Log in', 'wrong password')
  await page.getByRole('alert').getByText('Invalid login').waitFor()
}

describeChromium('the page of the chat', (open) => {
  it('shows what is written in a room to who is in it, at once, and to nobody else', async () => {
    const { url } = await runChat()
    const [ada, grace, kurt] = await Promise.all([open(url), open(url), open(url)])

    await Promise.all([signUp(ada.page, ADA), signUp(grace.page, GRACE), signUp(kurt.page, KURT)])
    await join(ada.page, 'lobby')
    await join(grace.page, 'lobby')
    await join(kurt.page, 'elsewhere')
    await ada.page.getByText('2 members').waitFor()
    await read(ada.page, `${GRACE} has joined`)

    await write(ada.page, 'Good morning, Grace')
    await read(grace.page, 'Good morning, Grace')
    await write(grace.page, 'Good morning, Ada')
    await read(ada.page, 'Good morning, Ada')

    // What was sent to Kurt before his own message has arrived with it.
    await write(kurt.page, 'Is anybody here?')
    await read(kurt.page, 'Is anybody here?')
    expect(kurt.received.filter((message) => message.includes('Good morning'))).toEqual([])
    expect(ada.received.filter((message) => message.includes('Good morning, Grace'))).not.toEqual([])

    for (const { errors } of [ada, grace, kurt]) expect(errors).toEqual([])
  })

  it('keeps the login and shows the history after a reload', async () => {
    const { url } = await runChat()
    const { page, errors } = await open(url)

    await signUp(page, ADA)
    await join(page, 'lobby')
    await write(page, 'The first')
    await read(page, 'The first')
    await write(page, 'The second')
    await read(page, 'The second')

    await page.reload()
    await read(page, 'The second')
    expect(await page.getByRole('log').getByRole('paragraph').allTextContents()).toEqual([
      'The first',
      'The second'
    ])

    // The new connection is in the channel of the room too.
    const grace = await createUser(url, GRACE)

    await grace.join('lobby')
    await grace.send('POST', '/messages', { room: 'lobby', text: 'The third' })
    await read(page, 'The third')
    expect(errors).toEqual([])
  })

  it('shows messages as text, whatever they are', async () => {
    const { url } = await runChat()
    const { page, errors } = await open(url)
    const text = '<img src=x onerror="document.title = 1"><script>document.title = 2</script>'

    await signUp(page, ADA)
    await join(page, 'lobby')
    await write(page, text)
    await read(page, text)

    expect(await page.getByRole('log').locator('img, script').count()).toBe(0)
    expect(await page.title()).toBe('Chat')
    expect(errors).toEqual([])
  })

  it('shows the login after a logout, and hears nothing more', async () => {
    const { url } = await runChat()
    const ada = await open(url)
    const grace = await open(url)

    await signUp(ada.page, ADA)
    await signUp(grace.page, GRACE)
    await join(ada.page, 'lobby')
    await join(grace.page, 'lobby')
    await write(grace.page, 'Ada hears this')
    await read(ada.page, 'Ada hears this')

    await ada.page.getByRole('button', { name: 'Log out' }).click()
    await seeLogin(ada.page)
    await write(grace.page, 'Ada hears nothing')
    await read(grace.page, 'Ada hears nothing')
    await failToLogIn(ada.page)

    expect(ada.received.filter((message) => message.includes('Ada hears'))).toHaveLength(1)
    expect(await ada.page.evaluate(() => (globalThis as any).localStorage.length)).toBe(0)

    await ada.page.reload()
    await seeLogin(ada.page)
    expect([...ada.errors, ...grace.errors]).toEqual([])
  })

  it('hears nothing more of a room that the user has left', async () => {
    const { url } = await runChat()
    const grace = await createUser(url, GRACE)
    const { page, received, errors } = await open(url)

    await signUp(page, ADA)
    await join(page, 'lobby')
    await grace.join('lobby')
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('Join a room to read and to write.').waitFor()
    await grace.send('POST', '/messages', { room: 'lobby', text: 'Where is Ada?' })
    await join(page, 'lobby')

    await read(page, 'Where is Ada?')
    expect(received.filter((message) => message.includes('messages created'))).toEqual([])
    expect(errors).toEqual([])
  })

  it('says that the connection is lost when the server has ended', async () => {
    const chat = await runChat()
    const { page } = await open(chat.url)

    await signUp(page, ADA)
    await join(page, 'lobby')

    expect(await chat.stop()).toBe(0)
    await page.getByRole('status').getByText('Trying again').waitFor()
    expect(await page.getByRole('heading', { name: 'lobby' }).isVisible()).toBe(true)
  })
})
