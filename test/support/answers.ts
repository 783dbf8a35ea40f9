import { once } from 'node:events'
import { connect } from 'node:net'

/** Whether something accepts connections at a URL; the port is for one that names none. */
export async function answers(url: string, usualPort: number): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port || usualPort), hostname)

  try {
    await once(socket, 'connect')

    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
