import { memory } from '@feathersjs/memory'
import { toOptions, toStore } from './service.mjs'

export function createStore(records) {
  return toStore(memory(toOptions(records)))
}
