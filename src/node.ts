export { type ListenerOptions, toListener } from './node/listener.ts'
export { prepareClose } from './node/shutdown.ts'
