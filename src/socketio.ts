export {
  type ConfigureSocketio,
  type SocketioArguments,
  type SocketioOptions,
  socketio
} from './socketio/server.ts'
