// node --import redirect.mjs PROGRAM: imports from `dist` of this checkout come from `dist` of the folder ALULA_BUILD, so
// that a program can be run on another build, or on one with a tracer in it.
import { register } from 'node:module'
import { pathToFileURL } from 'node:url'

if (process.env.ALULA_BUILD !== undefined) {
  register('./redirect-hooks.mjs', import.meta.url, {
    data: {
      from: new URL('../../dist/', import.meta.url).href,
      to: pathToFileURL(`${process.env.ALULA_BUILD}/dist/`).href
    }
  })
}
