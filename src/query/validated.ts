/** Marks a query that a schema has checked: it is taken as it is. Shared with Feathers v5. */
export const VALIDATED = Symbol.for('@feathersjs/adapter/sanitized')
