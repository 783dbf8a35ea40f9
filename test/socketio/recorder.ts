import { connect, open } from '../support/socketio.ts'

/** A service that remembers its calls, as the names of the methods with their arguments, and answers `done`. */
export function createRecorder(methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'custom']) {
  const calls: any[][] = []
  const service: any = {}

  for (const name of methods) {
    service[name] = async (...args: unknown[]) => {
      calls.push([name, ...args])

      return 'done'
    }
  }

  return { calls, service, methods }
}

/** A connected client, and a recorder at `things`. */
export async function openRecorder(configure: (app: any) => void = () => undefined) {
  const { calls, service, methods } = createRecorder()
  const { app, url } = await open((app) => {
    app.use('things', service, { methods })
    configure(app)
  })

  return { app, url, calls, socket: await connect(url) }
}

/** Objects in objects, so many that there are `depth` of them. */
export function nested(depth: number): object {
  let outermost = {}

  for (let level = 1; level < depth; level++) outermost = { a: outermost }

  return outermost
}
