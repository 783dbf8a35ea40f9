// What the page needs of packages. The server bundles it and serves it as /client.js.
export { alula, authentication, socketio } from 'alula/client'
export { io } from 'socket.io-client'
