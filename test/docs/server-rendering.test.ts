// The hooks for React that the pages show, on a server that renders their components.
import { runInThisContext } from 'node:vm'
import { expect, it } from 'vitest'
import { bundleFrontEnd } from '../support/front-end.ts'
import { readBlocks, readPage, readSection } from '../support/page.ts'

const live = readSection(await readPage('live'), 'Live lists in React')
const [pages, posts] = readBlocks(await readPage('recipes/08-infinite-lists'), 'jsx') as [string, string]
const tutorial = await readPage('tutorial/5-front-end')

const HOOKS = {
  useLive: {
    hook: readBlocks(live, 'jsx')[0],
    component: readBlocks(live, 'jsx')[1],
    name: 'Notes',
    file: 'use-live.js',
    text: '<p>Loading</p>'
  },
  'useLive in TypeScript': {
    hook: readBlocks(live, 'tsx')[0]?.replace('client.ts', 'client.js'),
    component: readBlocks(live, 'jsx')[1]?.replace('use-live.js', 'use-live.ts'),
    name: 'Notes',
    file: 'use-live.ts',
    text: '<p>Loading</p>'
  },
  usePages: { hook: pages, component: posts, name: 'Posts', file: 'use-pages.js', text: '<ul></ul>' },
  useConnected: {
    hook: readBlocks(tutorial, 'js').find((block) => block.includes('useSyncExternalStore')),
    component: `
import { useConnected } from './use-connected.js'

export const Status = () => <p>{useConnected() ? 'connected' : 'not connected'}</p>`,
    name: 'Status',
    file: 'use-connected.js',
    text: '<p>not connected</p>'
  }
}

it.each(Object.entries(HOOKS))('a server renders a component with %s', async (_name, shown) => {
  const { hook, component, name, file, text } = shown
  const script = await bundleFrontEnd({
    'client.js': 'export const client = {}, socket = {}',
    [file]: hook as string,
    'component.js': component as string,
    'main.js': `
import { renderToString } from 'react-dom/server'
import { ${name} } from './component.js'

result = renderToString(<${name} />)`
  })

  expect(runInThisContext(`(() => { let result; ${script}; return result })()`)).toContain(text)
})
