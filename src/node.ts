export { type ListenerOptions, toListener } from './node/listener.ts'
export { limitPipelining, type PipeliningOptions } from './node/pipelining.ts'
export { prepareClose } from './node/shutdown.ts'
