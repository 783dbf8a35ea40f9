// The conformance package imports `globSync`, which Node 20 does not have, for commands that no test runs.
import { register } from 'node:module'

const withGlob = `data:text/javascript,export * from 'node:fs'; export const globSync = () => []`

register(
  `data:text/javascript,${encodeURIComponent(`
    export const resolve = (specifier, context, next) =>
      specifier === 'fs' && context.parentURL?.includes('/conformance/')
        ? { url: ${JSON.stringify(withGlob)}, shortCircuit: true }
        : next(specifier, context)
  `)}`
)
