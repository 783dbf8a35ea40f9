import type { Differences } from '../differences.ts'

/** Where clients are sent something else, as an answer or an event. */
export const ofAnswers: Differences = {
  'big-integers': {
    'the result bigint': ['error {"stack":"a stack","message":"Do not know how to serialize a BigInt"}', '1']
  },
  'unsendable-results': {
    'the result map': [
      '{}',
      "GeneralError: The result of 'results' (get) cannot be sent as JSON: got an instance of Map. Functions of app.mount send files and streams (ALULA_INVALID_RETURN_VALUE)"
    ]
  },
  'socket-errors': {
    'the failure Error': ['error {"stack":"a stack","message":"boom"}', 'GeneralError: boom'],
    'the failure TypeError': ['error {"stack":"a stack","message":"boom"}', 'GeneralError: boom'],
    'the failure an Error with properties': [
      'error {"stack":"a stack","message":"boom","code":"ER_DUP","sql":"select"}',
      'GeneralError: boom'
    ],
    'the failure an Error with a status': [
      'error {"stack":"a stack","message":"boom","code":404,"statusCode":404}',
      'GeneralError: boom'
    ],
    'the failure an Error with toJSON': ['error {"message":"JSON"}', 'GeneralError: boom'],
    'the failure an Error without a message': [
      'error {"stack":"a stack"}',
      'GeneralError: An unexpected error occurred on the server'
    ],
    'the failure an AggregateError': [
      'error {"stack":"a stack","message":"several","errors":[{}]}',
      'GeneralError: several'
    ],
    'the failure a text': ['error {"0":"b","1":"o","2":"o","3":"m","length":4}', 'GeneralError: boom'],
    'the failure a number': ['error {}', 'GeneralError: An unexpected error occurred on the server'],
    'the failure an object': ['error {"message":"boom","code":400}', 'GeneralError: boom'],
    'the failure an object that looks like an error': ['Teapot: I am a teapot', 'Teapot: I am a teapot'],
    'the failure false': ['error {}', 'GeneralError: An unexpected error occurred on the server']
  },
  'falsy-dispatch': {
    'the dispatch null': ['{"id":"null"}', 'null'],
    'the dispatch zero': ['{"id":"zero"}', '0'],
    'the dispatch empty': ['{"id":"empty"}', '""'],
    'the dispatch false': ['{"id":"false"}', 'false'],
    'a publisher sends 0': [
      'notes created {"n":1}, → {"n":1} | notes created {"n":1}',
      'notes created 0, → {"n":1} | notes created 0'
    ],
    'a publisher sends an empty text': [
      'notes created {"n":1}, → {"n":1} | notes created {"n":1}',
      'notes created "", → {"n":1} | notes created ""'
    ],
    'a publisher sends false': [
      'notes created {"n":1}, → {"n":1} | notes created {"n":1}',
      'notes created false, → {"n":1} | notes created false'
    ],
    'an event of the dispatch null': ['notes created {"n":1}, → {"n":1}', 'notes created null, → null'],
    'an event of the dispatch 0': ['notes created {"n":1}, → {"n":1}', 'notes created 0, → 0'],
    'an event of the dispatch ""': ['notes created {"n":1}, → {"n":1}', 'notes created "", → ""'],
    'an event of the dispatch false': ['notes created {"n":1}, → {"n":1}', 'notes created false, → false'],
    'events of several items whose dispatch is null': [
      'notes patched {"secret":1,"id":1}, notes patched {"secret":1,"id":2}, → [{"secret":1,"id":1},{"secret":1,"id":2}]',
      'notes patched null, notes patched null, → null'
    ]
  },
  'dispatch-items': {
    'events of several items whose dispatch is items with less in them': [
      'notes patched null, notes patched null, → [{"id":1},{"id":2}]',
      'notes patched {"id":1}, notes patched {"id":2}, → [{"id":1},{"id":2}]'
    ]
  },
  'channel-lists': {
    'channel data that are a list, of several items': [
      'notes patched null, notes patched null, → [{"id":1},{"id":2}]',
      'notes patched [1,2], notes patched [1,2], → [{"id":1},{"id":2}]'
    ]
  },
  'event-items': {
    'a service emits a context of a list that does not hold it': [
      'notes progress null | notes progress null',
      'notes progress {"a":3} | notes progress {"a":3}'
    ]
  },
  'event-order': {
    'a publisher that is slower than the next': [
      '→ {"n":1,"id":7}, notes patched {"n":2,"id":7}, → {"n":2,"id":7}, notes patched {"n":1,"id":7}',
      '→ {"n":1,"id":7}, → {"n":2,"id":7}, notes patched {"n":1,"id":7}, notes patched {"n":2,"id":7}'
    ]
  }
}
