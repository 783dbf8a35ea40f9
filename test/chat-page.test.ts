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
  seeLogin,
  shareChat,
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
  const getChat = shareChat()

  it('shows what is written in a room to who is in it, at once, and to nobody else', async () => {
    const { url } = getChat()
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
    const { url } = getChat()
    const { page, errors } = await open(url)

    await signUp(page, `library.${ADA}`)
    await join(page, 'library')
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
    const grace = await createUser(url, `library.${GRACE}`)

    await grace.join('library')
    await grace.send('POST', '/messages', { room: 'library', text: 'The third' })
    await read(page, 'The third')
    expect(errors).toEqual([])
  })

  it('shows messages as text, whatever they are', async () => {
    const { url } = getChat()
    const { page, errors } = await open(url)
    const text = '<img src=x onerror="document.title = 1"><script>document.title = 2</script>'

    await signUp(page, `kitchen.${ADA}`)
    await join(page, 'kitchen')
    await write(page, text)
    await read(page, text)

    expect(await page.getByRole('log').locator('img, script').count()).toBe(0)
    expect(await page.title()).toBe('Chat')
    expect(errors).toEqual([])
  })

  it('shows the login after a logout, and hears nothing more', async () => {
    const { url } = getChat()
    const ada = await open(url)
    const grace = await open(url)

    await signUp(ada.page, `garden.${ADA}`)
    await signUp(grace.page, `garden.${GRACE}`)
    await join(ada.page, 'garden')
    await join(grace.page, 'garden')
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
    const { url } = getChat()
    const grace = await createUser(url, `hall.${GRACE}`)
    const { page, received, errors } = await open(url)

    await signUp(page, `hall.${ADA}`)
    await join(page, 'hall')
    await grace.join('hall')
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('Join a room to read and to write.').waitFor()
    await grace.send('POST', '/messages', { room: 'hall', text: 'Where is Ada?' })
    await join(page, 'hall')

    await read(page, 'Where is Ada?')
    expect(received.filter((message) => message.includes('messages created'))).toEqual([])
    expect(errors).toEqual([])
  })

  // The last, because it ends what all of them share.
  it('says that the connection is lost when the server has ended', async () => {
    const chat = getChat()
    const { page } = await open(chat.url)

    await signUp(page, `cellar.${ADA}`)
    await join(page, 'cellar')

    expect(await chat.stop()).toBe(0)
    await page.getByRole('status').getByText('Trying again').waitFor()
    expect(await page.getByRole('heading', { name: 'cellar' }).isVisible()).toBe(true)
  })
})
