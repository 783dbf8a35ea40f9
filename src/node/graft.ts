import { EventEmitter } from 'node:events'

/**
 * Adds to an object the members that it lacks and another one has, its own and those of its prototypes up to the emitter. The
 * API of Feathers v5 asks for one application that is also one of Express or Koa; this is the only place where a foreign object
 * is changed.
 */
export function graft(target: object, source: object): any {
  for (
    let current = source;
    current && current !== EventEmitter.prototype;
    current = Object.getPrototypeOf(current)
  ) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(current))) {
      if (!(name in target)) Object.defineProperty(target, name, descriptor)
    }
  }

  return target
}
