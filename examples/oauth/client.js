// What the page needs of packages. The server bundles it and serves it as /client.js.
export { alula, authentication, rest } from 'alula/client'
