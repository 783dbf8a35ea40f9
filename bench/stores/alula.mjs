import { memory } from '../../dist/memory.js'
import { toOptions, toStore } from './service.mjs'

export function createStore(records, { indexes = [] }) {
  return toStore(memory({ ...toOptions(records), indexes }))
}
