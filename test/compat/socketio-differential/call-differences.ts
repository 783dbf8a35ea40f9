import type { Differences } from '../differences.ts'

/** Where the arguments of a message, or the path it names, lead elsewhere. */
export const ofCalls: Differences = {
  'socket-methods': {
    "the method 'unlisted'": [
      'no answer',
      "MethodNotAllowed: Method 'unlisted' not allowed on service 'echo'"
    ],
    "the method '_find'": ['no answer', "MethodNotAllowed: Method '_find' not allowed on service 'echo'"],
    "the method 'setup'": ['no answer', "MethodNotAllowed: Method 'setup' not allowed on service 'echo'"],
    "the method 'teardown'": [
      'no answer',
      "MethodNotAllowed: Method 'teardown' not allowed on service 'echo'"
    ],
    "the method 'hidden'": ['no answer', "MethodNotAllowed: Method 'hidden' not allowed on service 'echo'"],
    "the method 'hooks'": ['no answer', "MethodNotAllowed: Method 'hooks' not allowed on service 'echo'"],
    "the method 'on'": ['no answer', "MethodNotAllowed: Method 'on' not allowed on service 'echo'"],
    "the method 'emit'": ['no answer', "MethodNotAllowed: Method 'emit' not allowed on service 'echo'"],
    "the method 'publish'": ['no answer', "MethodNotAllowed: Method 'publish' not allowed on service 'echo'"],
    "the method 'toString'": [
      'no answer',
      "MethodNotAllowed: Method 'toString' not allowed on service 'echo'"
    ],
    "the method 'constructor'": [
      'no answer',
      "MethodNotAllowed: Method 'constructor' not allowed on service 'echo'"
    ],
    "the method '__proto__'": [
      'no answer',
      "MethodNotAllowed: Method '__proto__' not allowed on service 'echo'"
    ],
    "the method 'echo'": ['no answer', "MethodNotAllowed: Method 'echo' not allowed on service 'echo'"],
    "the method 'echo find'": [
      'no answer',
      "MethodNotAllowed: Method 'echo find' not allowed on service 'echo'"
    ],
    "the method 'echo::find'": [
      'no answer',
      "MethodNotAllowed: Method 'echo::find' not allowed on service 'echo'"
    ],
    "the method 'created'": ['no answer', "MethodNotAllowed: Method 'created' not allowed on service 'echo'"],
    "the method ''": ['no answer', "MethodNotAllowed: Method '' not allowed on service 'echo'"]
  },
  'socket-queries': {
    'find with a text as query': [
      '{"method":"find","query":{"0":"t","1":"e","2":"x","3":"t"},"route":{}}',
      'BadRequest: Invalid query: expected an object'
    ],
    'find with an empty text as query': [
      '{"method":"find","query":{},"route":{}}',
      'BadRequest: Invalid query: expected an object'
    ],
    'find with a number as query': [
      '{"method":"find","query":{},"route":{}}',
      'BadRequest: Invalid query: expected an object'
    ],
    'find with true as query': [
      '{"method":"find","query":{},"route":{}}',
      'BadRequest: Invalid query: expected an object'
    ],
    'find with a list as query': [
      '{"method":"find","query":{"0":1,"1":2},"route":{}}',
      'BadRequest: Invalid query: expected an object'
    ],
    'find with bytes as query': [
      '{"method":"find","query":{"0":97,"1":98,"2":99},"route":{}}',
      'BadRequest: Invalid query: expected an object'
    ],
    'get with a text as query': [
      '{"method":"get","id":1,"query":{"0":"t","1":"e","2":"x","3":"t"},"route":{}}',
      'BadRequest: Invalid query: expected an object'
    ],
    'create with a list as query': [
      '{"method":"create","data":{},"query":{},"route":{}}',
      'BadRequest: Invalid query: expected an object'
    ],
    'update with a text as query': [
      '{"method":"update","id":1,"data":{},"query":{"0":"t","1":"e","2":"x","3":"t"},"route":{}}',
      'BadRequest: Invalid query: expected an object'
    ],
    'a custom method with a text as query': [
      '{"data":{},"query":{"0":"t","1":"e","2":"x","3":"t"}}',
      'BadRequest: Invalid query: expected an object'
    ]
  },
  'socket-data-names': {
    'create with __proto__ inside': [
      '{"method":"create","data":{"__proto__":{},"a":1},"query":{},"route":{}}',
      "BadRequest: Invalid data: '__proto__' is not allowed as a name"
    ]
  },
  'socket-query-values': {
    'find with bytes in a query': [
      '{"method":"find","query":{"a":"bytes 616263"},"route":{}}',
      'BadRequest: Invalid query: expected strings, numbers, booleans, objects and arrays'
    ],
    'find with __proto__ in a query': [
      '{"method":"find","query":{},"route":{}}',
      "BadRequest: Invalid query: '__proto__' is not allowed as a name"
    ],
    'find with __proto__ deep in a query': [
      '{"method":"find","query":{"a":{"__proto__":{}}},"route":{}}',
      "BadRequest: Invalid query: '__proto__' is not allowed as a name"
    ],
    'find with constructor in a query': [
      '{"method":"find","query":{},"route":{}}',
      "BadRequest: Invalid query: 'constructor' is not allowed as a name"
    ],
    'find with a query of 20 levels': [
      '{"method":"find","query":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{}}}}}}}}}}}}}}}}}}}}},"route":{}}',
      'BadRequest: Invalid query: expected objects to nest at most 16 deep'
    ],
    'find with a list of 501 in a query': [
      'a long result',
      'BadRequest: Invalid query: expected at most 500 elements in an array'
    ],
    'find with 1001 parameters': [
      'a long result',
      'BadRequest: Invalid query: expected at most 1000 parameters'
    ]
  },
  'socket-ids': {
    'get with nothing': [
      '{"method":"get","query":{},"route":{}}',
      "BadRequest: Invalid id for 'get': expected a string or a number, got undefined"
    ],
    'get with null as id': [
      '{"method":"get","id":null,"query":{},"route":{}}',
      "BadRequest: Invalid id for 'get': expected a string or a number, got null"
    ],
    'get with undefined as id': [
      '{"method":"get","id":null,"query":{},"route":{}}',
      "BadRequest: Invalid id for 'get': expected a string or a number, got null"
    ],
    'get with an empty id': [
      '{"method":"get","id":"","query":{},"route":{}}',
      "BadRequest: Invalid id for 'get': expected a string or a number, got an empty string"
    ],
    'get with NaN as id': [
      '{"method":"get","id":null,"query":{},"route":{}}',
      "BadRequest: Invalid id for 'get': expected a string or a number, got null"
    ],
    'get with true as id': [
      '{"method":"get","id":true,"query":{},"route":{}}',
      "BadRequest: Invalid id for 'get': expected a string or a number, got boolean"
    ],
    'get with an object as id': [
      '{"method":"get","id":{},"query":{},"route":{}}',
      "BadRequest: Invalid id for 'get': expected a string or a number, got object"
    ],
    'get with an operator as id': [
      '{"method":"get","id":{"$gt":""},"query":{},"route":{}}',
      "BadRequest: Invalid id for 'get': expected a string or a number, got object"
    ],
    'get with a list as id': [
      '{"method":"get","id":["x"],"query":{},"route":{}}',
      "BadRequest: Invalid id for 'get': expected a string or a number, got object"
    ],
    'get with bytes as id': [
      '{"method":"get","id":"bytes 616263","query":{},"route":{}}',
      "BadRequest: Invalid id for 'get': expected a string or a number, got object"
    ],
    'update with nothing': [
      '{"method":"update","query":{},"route":{}}',
      "BadRequest: Invalid id for 'update': expected a string, a number or null, got undefined"
    ],
    'update with an empty id': [
      '{"method":"update","id":"","data":{},"query":{},"route":{}}',
      "BadRequest: Invalid id for 'update': expected a string, a number or null, got an empty string"
    ],
    'update with an object as id': [
      '{"method":"update","id":{},"data":{},"query":{},"route":{}}',
      "BadRequest: Invalid id for 'update': expected a string, a number or null, got object"
    ],
    'patch with nothing': [
      '{"method":"patch","query":{},"route":{}}',
      "BadRequest: Invalid id for 'patch': expected a string, a number or null, got undefined"
    ],
    'patch with an object as id': [
      '{"method":"patch","id":{"$ne":1},"data":{},"query":{},"route":{}}',
      "BadRequest: Invalid id for 'patch': expected a string, a number or null, got object"
    ],
    'remove with nothing': [
      '{"method":"remove","query":{},"route":{}}',
      "BadRequest: Invalid id for 'remove': expected a string, a number or null, got undefined"
    ],
    'remove with an empty id': [
      '{"method":"remove","id":"","query":{},"route":{}}',
      "BadRequest: Invalid id for 'remove': expected a string, a number or null, got an empty string"
    ],
    'remove with an object as id': [
      '{"method":"remove","id":{"$ne":1},"query":{},"route":{}}',
      "BadRequest: Invalid id for 'remove': expected a string, a number or null, got object"
    ],
    'remove with a list as id': [
      '{"method":"remove","id":[1,2],"query":{},"route":{}}',
      "BadRequest: Invalid id for 'remove': expected a string, a number or null, got object"
    ],
    'remove with false as id': [
      '{"method":"remove","id":false,"query":{},"route":{}}',
      "BadRequest: Invalid id for 'remove': expected a string, a number or null, got boolean"
    ]
  },
  'socket-missing-data': {
    'create with nothing': [
      '{"method":"create","query":{},"route":{}}',
      '{"method":"create","data":{},"query":{},"route":{}}'
    ],
    'update with an id': [
      '{"method":"update","id":1,"query":{},"route":{}}',
      '{"method":"update","id":1,"data":{},"query":{},"route":{}}'
    ],
    'patch with an id': [
      '{"method":"patch","id":1,"query":{},"route":{}}',
      '{"method":"patch","id":1,"data":{},"query":{},"route":{}}'
    ],
    'a custom method with nothing': ['{"query":{}}', '{"data":{},"query":{}}'],
    'a custom method with null as data': ['{"data":null,"query":{}}', '{"data":{},"query":{}}']
  },
  'socket-data': {
    'create with null': [
      '{"method":"create","data":null,"query":{},"route":{}}',
      'BadRequest: Invalid data: expected a JSON object or array, got null'
    ],
    'create with undefined': [
      '{"method":"create","data":null,"query":{},"route":{}}',
      'BadRequest: Invalid data: expected a JSON object or array, got null'
    ],
    'create with a text': [
      '{"method":"create","data":"text","query":{},"route":{}}',
      'BadRequest: Invalid data: expected a JSON object or array, got string'
    ],
    'create with a number': [
      '{"method":"create","data":5,"query":{},"route":{}}',
      'BadRequest: Invalid data: expected a JSON object or array, got number'
    ],
    'create with true': [
      '{"method":"create","data":true,"query":{},"route":{}}',
      'BadRequest: Invalid data: expected a JSON object or array, got boolean'
    ],
    'create with a list of null': [
      '{"method":"create","data":[null],"query":{},"route":{}}',
      'BadRequest: Invalid data: expected every element of the array to be an object'
    ],
    'create with a list of lists': [
      '{"method":"create","data":[[]],"query":{},"route":{}}',
      'BadRequest: Invalid data: expected every element of the array to be an object'
    ],
    'create with a list of texts': [
      '{"method":"create","data":["a"],"query":{},"route":{}}',
      'BadRequest: Invalid data: expected every element of the array to be an object'
    ],
    'create with bytes': [
      '{"method":"create","data":"bytes 616263","query":{},"route":{}}',
      'BadRequest: Invalid data: expected an object or array, got bytes'
    ],
    'create with 200 levels': [
      'a long result',
      'BadRequest: Invalid data: expected objects and arrays to nest at most 100 deep'
    ],
    'update with null as data': [
      '{"method":"update","id":1,"data":null,"query":{},"route":{}}',
      'BadRequest: Invalid data: expected a JSON object or array, got null'
    ],
    'update with a text as data': [
      '{"method":"update","id":1,"data":"text","query":{},"route":{}}',
      'BadRequest: Invalid data: expected a JSON object or array, got string'
    ],
    'patch with null as data': [
      '{"method":"patch","id":1,"data":null,"query":{},"route":{}}',
      'BadRequest: Invalid data: expected a JSON object or array, got null'
    ],
    'patch with a number as data': [
      '{"method":"patch","id":1,"data":5,"query":{},"route":{}}',
      'BadRequest: Invalid data: expected a JSON object or array, got number'
    ],
    'a custom method with a text as data': [
      '{"data":"Ann","query":{}}',
      'BadRequest: Invalid data: expected a JSON object or array, got string'
    ],
    'a custom method with a number as data': [
      '{"data":5,"query":{}}',
      'BadRequest: Invalid data: expected a JSON object or array, got number'
    ]
  },
  'socket-missing-path': {
    'a message without a path': ['no answer', 'NotFound: Invalid service path']
  },
  'socket-empty-segments': {
    'a path that is several slashes at its ends': [
      '{"method":"find","query":{},"route":{}}',
      "NotFound: Service '//echo//' not found"
    ],
    'a path that is a placeholder that is empty': [
      '{"method":"find","query":{},"route":{"userId":""}}',
      "NotFound: Service 'users//things' not found"
    ],
    'create with a path that is several slashes at its ends': [
      '{"method":"create","data":{},"query":{},"route":{}}',
      "NotFound: Service '//echo//' not found"
    ],
    'create with a path that is a placeholder that is empty': [
      '{"method":"create","data":{},"query":{},"route":{"userId":""}}',
      "NotFound: Service 'users//things' not found"
    ]
  },
  'socket-ids-in-paths': {
    'a path that is an id behind it': [
      '{"method":"find","query":{},"route":{"__id":"1"}}',
      "NotFound: Service 'echo/1' not found"
    ],
    'a path that is an id behind placeholders': [
      '{"method":"find","query":{},"route":{"__id":"6","userId":"5"}}',
      "NotFound: Service 'users/5/things/6' not found"
    ],
    'create with a path that is an id behind it': [
      '{"method":"create","data":{},"query":{},"route":{"__id":"1"}}',
      "NotFound: Service 'echo/1' not found"
    ],
    'create with a path that is an id behind placeholders': [
      '{"method":"create","data":{},"query":{},"route":{"__id":"6","userId":"5"}}',
      "NotFound: Service 'users/5/things/6' not found"
    ],
    'a service at the root': [
      '→ [{"id":1},{"id":2}], / created {"n":1}, → {"n":1}, → [{"id":1},{"id":2}], / created {"n":1}, → {"n":1}, → [{"id":1},{"id":2}], / created {"n":1}, → {"n":1}',
      '→ [{"id":1},{"id":2}], / created {"n":1}, → {"n":1}, → [{"id":1},{"id":2}], / created {"n":1}, → {"n":1}, → NotFound: Service \'other\' not found, → NotFound: Service \'other\' not found'
    ]
  },
  'socket-path-names': {
    'a path that is constructor': [
      'error {"stack":"a stack","message":"child.lookup is not a function"}',
      "NotFound: Service 'constructor' not found"
    ],
    'a path that is toString': [
      'error {"stack":"a stack","message":"child.lookup is not a function"}',
      "NotFound: Service 'toString' not found"
    ],
    'a path that is a placeholder named __proto__': [
      'error {"stack":"a stack","message":"child.lookup is not a function"}',
      '{"method":"find","query":{},"route":{"userId":"__proto__"}}'
    ],
    'create with a path that is constructor': [
      'error {"stack":"a stack","message":"child.lookup is not a function"}',
      "NotFound: Service 'constructor' not found"
    ],
    'create with a path that is toString': [
      'error {"stack":"a stack","message":"child.lookup is not a function"}',
      "NotFound: Service 'toString' not found"
    ],
    'create with a path that is a placeholder named __proto__': [
      'error {"stack":"a stack","message":"child.lookup is not a function"}',
      '{"method":"create","data":{},"query":{},"route":{"userId":"__proto__"}}'
    ]
  }
}
