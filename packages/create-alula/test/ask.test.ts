import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../../../test/support/command.ts'
import { DATABASES, TEMPLATES } from '../src/choices.ts'

const COMMAND = fileURLToPath(new URL('../dist/cli.js', import.meta.url))

/** Makes the streams of a child look like a terminal. */
const TERMINAL = `data:text/javascript,
process.stdin.isTTY = process.stdout.isTTY = true;
process.stdin.setRawMode = () => process.stdin`

const DOWN = '\x1b[B'
const ENTER = '\r'
const CANCEL = '\x03'

/** Runs the command as in a terminal. */
function open(cwd: string) {
  const child = spawn(process.execPath, ['--import', TERMINAL, COMMAND], { cwd })
  let output = ''
  let check = () => {}

  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      check()
    })
  }
  onTestFinished(() => void child.kill())

  return {
    press: (keys: string) => child.stdin.write(keys),
    /** Resolves when a text is printed, with all that is printed. */
    printed: (text: string) =>
      new Promise<string>((resolve, reject) => {
        check = () => {
          if (output.includes(text)) resolve(output)
        }
        child.once('close', () => reject(new Error(`'${text}' was not printed: ${output}`)))
        check()
      })
  }
}

it.each([
  ['api', 'my-app'],
  ['express', 'my-site']
] as const)('the template is asked first: the name of %s is then %s by default', async (template, name) => {
  const { press, printed } = open(createFolder({ 'My Site/package.json': '{}' }).concat('/My Site'))
  const before = await printed(TEMPLATES.api)

  press(DOWN.repeat(Object.keys(TEMPLATES).indexOf(template)))
  press(ENTER)
  expect(await printed('Name')).toContain('Template')
  expect(before).not.toContain('Name')
  press(ENTER)
  await printed(DATABASES.sqlite)

  const end = printed('Nothing was made.')

  press(CANCEL)
  expect(await end).toContain(name)
})
