import { compileScript, parse } from '@vue/compiler-sfc'
import { expect, it } from 'vitest'
import { describeChromium } from '../support/chromium.ts'
import { bundleFrontEnd } from '../support/front-end.ts'
import { readBlocks, readPage } from '../support/page.ts'
import { shareProcess } from '../support/shared-process.ts'

const page = await readPage('recipes/10-vue')
const [composable] = readBlocks(page, 'js') as [string]
const [component] = readBlocks(page, 'vue') as [string]
const { runServer } = shareProcess()

const SERVER = `
import { alula } from 'alula'
import { BadRequest } from 'alula/errors'
import express, { errorHandler, rest } from 'alula/express'
import { memory } from 'alula/memory'
import { socketio } from 'alula/socketio'

const app = express(alula())

app.configure(rest())
app.configure(socketio())
app.use('notes', memory({ startId: 1 }))
app.use(errorHandler())
app.on('connection', (connection) => app.channel('everybody').join(connection))
app.service('notes').publish(() => app.channel('everybody'))
app.service('notes').hooks({
  before: {
    create: [({ data }) => { if (!data.text) throw new BadRequest('A note needs a text') }]
  }
})
await app.service('notes').create({ text: 'Buy milk', done: false })
await app.service('notes').create({ text: 'Old', done: true })
await app.listen(3030)`

const MAIN = `
import { createApp } from 'vue'
import { client } from './client.js'
import Notes from './notes.js'

window.countListeners = () => client.io.listeners('notes patched').length
window.app = createApp(Notes)
window.app.mount('#root')`

function compileComponent(): string {
  const { descriptor } = parse(component)

  return compileScript(descriptor, { id: 'notes', inlineTemplate: true }).content
}

describeChromium('The composable of the recipe', (open) => {
  it('follows its query and events, shows errors, and stops with its component', async () => {
    const { address } = await runServer(SERVER)
    const { page } = await open(`http://${address}/notes`)
    const files = { 'use-find.js': composable, 'notes.js': compileComponent(), 'main.js': MAIN }
    const show = (...texts: string[]) =>
      page.waitForFunction(
        (expected) =>
          [...(globalThis as any).document.querySelectorAll('li')]
            .map(({ textContent }: any) => textContent)
            .join() === expected,
        texts.join(),
        { timeout: 10_000 }
      )

    await page.setContent('<div id="root"></div>')
    await page.addScriptTag({ content: await bundleFrontEnd(files) })
    await show('Buy milk')

    await fetch(`http://${address}/notes/1`, {
      method: 'PATCH',
      body: JSON.stringify({ text: 'Buy tea' }),
      headers: { 'Content-Type': 'application/json' }
    })
    await show('Buy tea')

    await page.fill('[name=text]', 'Call Ada')
    await page.press('[name=text]', 'Enter')
    await show('Buy tea', 'Call Ada')

    await page.press('[name=text]', 'Enter')
    expect(await page.getByRole('alert').textContent()).toBe('A note needs a text')

    await page.check('[type=checkbox]')
    await show('Old')

    const count = () => page.evaluate(() => (globalThis as any).countListeners())

    expect(await count()).toBe(1)
    await page.evaluate(() => (globalThis as any).app.unmount())
    expect(await count()).toBe(0)
  })
})
