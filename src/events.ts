export { type EventsOptions, events } from './events/events.ts'
