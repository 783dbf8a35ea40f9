import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'
import { listen } from '../support/server.ts'

class User {
  id = 1
  name = 'Ada'
  hash = 'secret'

  toJSON() {
    const { hash: _, ...shown } = this

    return shown
  }

  greet() {
    return `Hello ${this.name}`
  }
}

it.each(['toJSON', 'greet', 'constructor', 'toString'])(
  'a client cannot replace the method %s of a record, which may hide a field',
  async (name) => {
    const app = alula().use('users', memory({ store: [new User()] }))

    await app.setup()

    const url = `${await listen(createServer(toListener(app, { logger: false })))}/users/1`
    const patch = async (data: object) => {
      const response = await fetch(url, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(data)
      })

      return [response.status, await response.json()]
    }

    expect(await patch({ name: 'Bob', [name]: 1 })).toMatchObject([
      400,
      { message: `Invalid data: '${name}' cannot be set`, errors: { [name]: 'cannot be set' } }
    ])
    expect(await patch({ name: 'Cleo' })).toEqual([200, { id: 1, name: 'Cleo' }])
    expect(await (await fetch(url)).json()).toEqual({ id: 1, name: 'Cleo' })
  }
)
