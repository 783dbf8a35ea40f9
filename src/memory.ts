export { MemoryAdapter, type MemoryOptions, MemoryService, memory } from './memory/adapter.ts'
