export { type ListenerOptions, toListener } from './node/listener.ts'
