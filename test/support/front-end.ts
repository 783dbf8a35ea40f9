import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { createFullFolder } from '../bundles/support.ts'

/** A client that is connected to the server of the page by a socket. */
const CLIENT = `
import { alula, live, socketio } from 'alula/client'
import { io } from 'socket.io-client'

export const client = alula().configure(socketio(io())).configure(live())`

/**
 * Makes one script for a page, with React or Vue where the files import them.
 *
 * @param files Their texts by name. The first to run is `main.js`; `client.js` exports a client with live lists, unless it is given
 */
export async function bundleFrontEnd(files: { readonly [name: string]: string }): Promise<string> {
  const folder = createFullFolder()

  for (const [name, text] of Object.entries({ 'client.js': CLIENT, ...files }))
    writeFileSync(join(folder, name), text)

  const { outputFiles } = await build({
    entryPoints: [join(folder, 'main.js')],
    bundle: true,
    loader: { '.js': 'jsx' },
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"development"', __VUE_OPTIONS_API__: 'true' },
    logLevel: 'silent',
    write: false
  })

  return (outputFiles[0] as (typeof outputFiles)[number]).text
}
