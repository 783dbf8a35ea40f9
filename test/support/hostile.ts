// What clients put into queries and data to be treated as something else.

/** Names that mean something to JavaScript. */
export const OBJECT_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']

/** The operators that compare a field. */
export const COMPARISONS = ['$eq', '$ne', '$lt', '$lte', '$le', '$gt', '$gte', '$ge', '$in', '$nin', '$not']
