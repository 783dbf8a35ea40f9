import type { Differences } from '../differences.ts'

export const differences: Differences = {
  'frozen-configuration': {
    'configuration is a copy': [
      'undefined',
      'TypeError: Cannot add property secret, object is not extensible'
    ]
  },
  'entity-service': {
    'base strategy without a service': ['[{"a":1},null,"own",true]', '[{"a":1},"a service","own",true]']
  },
  'login-values': {
    'create with a number as password': [
      'Error: Illegal arguments: number, string',
      'NotAuthenticated: Invalid login'
    ],
    'create with a number as password, from outside': [
      'Error: Illegal arguments: number, string',
      'NotAuthenticated: Invalid login'
    ],
    'create with an object as password': [
      'Error: Illegal arguments: object, string',
      'NotAuthenticated: Invalid login'
    ],
    'create with an object as password, from outside': [
      'Error: Illegal arguments: object, string',
      'NotAuthenticated: Invalid login'
    ]
  },
  'login-errors': {
    'create by a strategy without authenticate': [
      'TypeError: authStrategy.authenticate is not a function',
      'NotAuthenticated: Invalid authentication information'
    ],
    'local over null': [
      "TypeError: Cannot read properties of null (reading 'data')",
      'NotAuthenticated: Invalid login'
    ],
    'local over users with a number as password': [
      'Error: Illegal arguments: string, number',
      'NotAuthenticated: Invalid login'
    ],
    'remove a token without authentication': [
      "TypeError: Cannot read properties of undefined (reading 'accessToken')",
      'NotAuthenticated: Invalid access token'
    ]
  },
  'missing-settings': {
    'create without the setting of strategies': [
      "TypeError: Cannot read properties of undefined (reading 'length')",
      'NotAuthenticated: No authentication strategies allowed for creating a JWT (`authStrategies`)'
    ],
    'local with no service': [
      "TypeError: Cannot read properties of null (reading 'find')",
      'NotAuthenticated: Could not find entity service'
    ],
    'local with no service, from outside': [
      "TypeError: Cannot read properties of null (reading 'find')",
      'NotAuthenticated: Could not find entity service'
    ],
    'sign without a secret': [
      'Error: secretOrPrivateKey must have a value',
      "Error: A 'secret' must be provided in your authentication configuration"
    ],
    'verify without a secret': [
      'NotAuthenticated: secret or public key must be provided',
      "Error: A 'secret' must be provided in your authentication configuration"
    ],
    'the hook made of settings without strategies': [
      "TypeError: Cannot read properties of undefined (reading 'length')",
      'Error: The authenticate hook needs at least one allowed strategy'
    ],
    'the hook without authentication': [
      'TypeError: app.defaultAuthentication is not a function',
      'NotAuthenticated: Could not find a valid authentication service'
    ],
    'hashPassword without authentication': [
      'TypeError: app.defaultAuthentication is not a function',
      'BadRequest: Could not find an authentication service to hash password'
    ],
    'passwordHash by a strategy that there is not': [
      "TypeError: Cannot read properties of undefined (reading 'hashPassword')",
      "BadRequest: Could not find 'x' strategy to hash password"
    ]
  },
  'empty-strategy': {
    'the hook made of a strategy and an empty text': [
      '"function"',
      'Error: The authenticate hook needs at least one allowed strategy'
    ]
  },
  'password-values': {
    'local hashPassword of ""': [
      '"$2b$04$"',
      "BadRequest: Invalid 'password': expected a string that is not empty"
    ],
    'local hashPassword of 5': [
      'Error: Illegal arguments: number, number',
      "BadRequest: Invalid 'password': expected a string that is not empty"
    ],
    'local hashPassword of null': [
      'Error: Illegal arguments: object, number',
      "BadRequest: Invalid 'password': expected a string that is not empty"
    ],
    'hashPassword of null': [
      'Error: Illegal arguments: object, number',
      "BadRequest: Invalid 'password': expected a string that is not empty"
    ],
    'hashPassword of ""': [
      '"$2b$04$"',
      "BadRequest: Invalid 'password': expected a string that is not empty"
    ],
    'hashPassword of 5': [
      'Error: Illegal arguments: number, number',
      "BadRequest: Invalid 'password': expected a string that is not empty"
    ],
    'hashPassword of {}': [
      'Error: Illegal arguments: object, number',
      "BadRequest: Invalid 'password': expected a string that is not empty"
    ]
  },
  'password-length': {
    'local hashPassword of "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"': [
      '"$2b$04$"',
      'BadRequest: Invalid password: expected at most 72 bytes in UTF-8 and no NUL character'
    ],
    'local hashPassword of "a\\u0000b"': [
      '"$2b$04$"',
      "BadRequest: Invalid 'password': expected no NUL character"
    ],
    'local with a password of 73 bytes whose first 72 are right': [
      'a result',
      'NotAuthenticated: Invalid login'
    ]
  },
  'malformed-tokens': {
    'create with text that is no token': [
      'NotAuthenticated: jwt malformed',
      'NotAuthenticated: Invalid access token'
    ],
    'create with text that is no token, from outside': [
      'NotAuthenticated: jwt malformed',
      'NotAuthenticated: Invalid access token'
    ],
    'remove with a bad token': ['NotAuthenticated: jwt malformed', 'NotAuthenticated: Invalid access token'],
    'a connection with a bad token': [
      'NotAuthenticated: jwt malformed',
      'NotAuthenticated: Invalid access token'
    ],
    'verify two parts': ['NotAuthenticated: jwt malformed', 'NotAuthenticated: Invalid access token'],
    'verify four parts': ['NotAuthenticated: jwt malformed', 'NotAuthenticated: Invalid access token'],
    'verify text': ['NotAuthenticated: jwt malformed', 'NotAuthenticated: Invalid access token'],
    'the hook on an internal call with a bad token': [
      'NotAuthenticated: jwt malformed',
      'NotAuthenticated: Invalid access token'
    ],
    'the hook on an internal call with a bad token, without an entity': [
      'NotAuthenticated: jwt malformed',
      'NotAuthenticated: Invalid access token'
    ],
    'the hook on an external call with a bad token': [
      'NotAuthenticated: jwt malformed',
      'NotAuthenticated: Invalid access token'
    ],
    'the hook on an external call with a bad token, without an entity': [
      'NotAuthenticated: jwt malformed',
      'NotAuthenticated: Invalid access token'
    ],
    'verify one with a broken header': [
      'NotAuthenticated: invalid token',
      'NotAuthenticated: Invalid access token'
    ],
    'create with an object as token': [
      'NotAuthenticated: jwt must be a string',
      'NotAuthenticated: Invalid access token'
    ],
    'create with an object as token, from outside': [
      'NotAuthenticated: jwt must be a string',
      'NotAuthenticated: Invalid access token'
    ],
    'verify one without an algorithm': [
      'NotAuthenticated: jwt signature is required',
      'NotAuthenticated: Invalid access token'
    ],
    'verify one without a signature': [
      'NotAuthenticated: jwt signature is required',
      'NotAuthenticated: Invalid access token'
    ],
    'verify padding': ['NotAuthenticated: invalid token', 'NotAuthenticated: Invalid access token'],
    'verify a space in front': ['NotAuthenticated: invalid token', 'NotAuthenticated: Invalid access token'],
    'verify an empty text': [
      'NotAuthenticated: jwt must be provided',
      'NotAuthenticated: Invalid access token'
    ],
    'verify nothing': ['NotAuthenticated: jwt must be provided', 'NotAuthenticated: Invalid access token'],
    'verify null': ['NotAuthenticated: jwt must be provided', 'NotAuthenticated: Invalid access token'],
    'verify a number': ['NotAuthenticated: jwt must be a string', 'NotAuthenticated: Invalid access token'],
    'verify an object': ['NotAuthenticated: jwt must be a string', 'NotAuthenticated: Invalid access token'],
    'verify a list': ['NotAuthenticated: jwt must be a string', 'NotAuthenticated: Invalid access token']
  },
  algorithms: {
    'sign with the algorithm none': [
      'a result',
      "Error: Invalid option 'jwtOptions.algorithm': a token must be signed"
    ],
    'verify one without an algorithm that is allowed': [
      'NotAuthenticated: jwt signature is required',
      'TypeError: Invalid option \'algorithm\' of jwtOptions: expected one or several of HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, got ["none"]'
    ],
    'construct with an unknown algorithm': [
      '{"algorithm":"x"}',
      'TypeError: Invalid option \'algorithm\' of authentication.jwtOptions: expected one or several of HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, got ["x"]'
    ]
  },
  'token-headers': {
    'verify one of another type': ['a result', 'NotAuthenticated: jwt type invalid. expected: access'],
    'verify one of no type': ['a result', 'NotAuthenticated: jwt type invalid. expected: access'],
    'verify one with kid': ['a result', 'NotAuthenticated: jwt header invalid: kid'],
    'verify one with jku': ['a result', 'NotAuthenticated: jwt header invalid: jku'],
    'verify one with crit': ['a result', 'NotAuthenticated: jwt header invalid: crit'],
    'verify without options': ['a result', 'NotAuthenticated: jwt type invalid. expected: JWT']
  },
  'token-subjects': {
    'verify one with a subject that is a number': [
      '{"sub":7,"iss":"feathers","aud":"https://yourdomain.com"}',
      'NotAuthenticated: jwt subject invalid. expected: a string'
    ],
    'authenticate a token whose subject is 7': [
      'a result',
      'NotAuthenticated: jwt subject invalid. expected: a string'
    ],
    'authenticate a token whose subject is ""': ['a result', 'NotAuthenticated: jwt subject missing'],
    'authenticate a token whose subject is null': [
      'a result',
      'NotAuthenticated: jwt subject invalid. expected: a string'
    ],
    'authenticate a token whose subject is undefined': ['a result', 'NotAuthenticated: jwt subject missing'],
    'authenticate a token whose subject is {}': [
      'a result',
      'NotAuthenticated: jwt subject invalid. expected: a string'
    ]
  },
  'merged-lists': {
    'token options of a list and a shorter list': [
      '{"audience":["c","b"],"subject":"7"}',
      '{"audience":["c"],"subject":"7"}'
    ]
  },
  'null-payload': {
    'payload that is null': ['null', '{}']
  },
  'null-subject': {
    'token options of an id that is null': [
      '{"subject":"null"}',
      'NotAuthenticated: Can not set subject from user.id'
    ]
  },
  'missing-entity': {
    'setup with an entity that is undefined': [
      '"is set up"',
      "Error: The 'entity' option is not set in the authentication configuration (set to 'null' if it is not required)"
    ]
  },
  'header-spaces': {
    'parse " "': ['{"strategy":"jwt","accessToken":" "}', 'null'],
    'parse "   "': ['{"strategy":"jwt","accessToken":"   "}', 'null'],
    'parse " abc"': ['{"strategy":"jwt","accessToken":" abc"}', '{"strategy":"jwt","accessToken":"abc"}'],
    'parse "abc "': ['{"strategy":"jwt","accessToken":"abc "}', '{"strategy":"jwt","accessToken":"abc"}'],
    'parse "Bearer "': [
      '{"strategy":"jwt","accessToken":"Bearer "}',
      '{"strategy":"jwt","accessToken":"Bearer"}'
    ],
    'parse " bearer "': [
      '{"strategy":"jwt","accessToken":" bearer "}',
      '{"strategy":"jwt","accessToken":"bearer"}'
    ]
  },
  'header-token': {
    'parse "Bearer abc def"': [
      '{"strategy":"jwt","accessToken":"abc"}',
      '{"strategy":"jwt","accessToken":"abc def"}'
    ],
    'parse "Bearer abc, Bearer def"': [
      '{"strategy":"jwt","accessToken":"abc,"}',
      '{"strategy":"jwt","accessToken":"abc, Bearer def"}'
    ],
    'parse "Bearer Bearer abc"': [
      '{"strategy":"jwt","accessToken":"Bearer"}',
      '{"strategy":"jwt","accessToken":"Bearer abc"}'
    ],
    'parse "JWT Bearer abc"': [
      '{"strategy":"jwt","accessToken":"Bearer"}',
      '{"strategy":"jwt","accessToken":"Bearer abc"}'
    ],
    'parse "Bearer Basic abc"': [
      '{"strategy":"jwt","accessToken":"Basic"}',
      '{"strategy":"jwt","accessToken":"Basic abc"}'
    ]
  },
  schemes: {
    'parse a scheme with the characters of an expression': ['{"strategy":"jwt","accessToken":"abc"}', 'null']
  },
  'parse-undefined': {
    'parse by a strategy that finds undefined': ['undefined', '{"strategy":"jwt","accessToken":"abc"}']
  },
  'internal-authentication': {
    'the hook on an internal call with an entity and a token': ['a result', 'a result']
  },
  'protect-null': {
    'protect a list, from inside': [
      "TypeError: Cannot read properties of null (reading 'toJSON')",
      'a result'
    ],
    'protect a list around, from inside': [
      "TypeError: Cannot read properties of null (reading 'toJSON')",
      'a result'
    ],
    'protect a list, from outside': [
      "TypeError: Cannot read properties of null (reading 'toJSON')",
      '{"result":[{"id":1},5,null,[{}]],"dispatch":[{"id":1},5,null,[{}]]}'
    ],
    'protect a list around, from outside': [
      "TypeError: Cannot read properties of null (reading 'toJSON')",
      '{"result":[{"id":1},5,null,[{}]],"dispatch":[{"id":1},5,null,[{}]]}'
    ]
  },
  'protect-pages': {
    'protect a page of another method, from inside': ['a result', 'a result'],
    'protect a page of another method around, from inside': ['a result', 'a result'],
    'protect a page of another method, from outside': ['a result', 'a result'],
    'protect a page of another method around, from outside': ['a result', 'a result']
  },
  'checked-settings': {
    'setup with a secret that is no text': [
      "Error: A 'secret' must be provided in your authentication configuration",
      "TypeError: Invalid option 'secret' of authentication: expected a string that is not empty, or several in an array, of which the first one signs"
    ],
    'construct with a setting that is no object': [
      '{"0":"x"}',
      'TypeError: Invalid options of authentication: expected an object'
    ],
    'construct with strategies that are no list': [
      '"jwt"',
      'TypeError: Invalid option \'authStrategies\' of authentication: expected an array of strategy names, got "jwt"'
    ],
    'construct with options of a token that are no object': [
      '"x"',
      'TypeError: Invalid option \'jwtOptions\' of authentication: expected an object, got "x"'
    ],
    'a setting that is not valid, later': [
      '"is set"',
      "Error: 'local' authentication strategy requires a 'usernameField' setting"
    ]
  },
  'empty-secret': {
    'setup with an empty secret': [
      '"is set up"',
      "TypeError: Invalid option 'secret' of authentication: expected a string that is not empty, or several in an array, of which the first one signs"
    ]
  },
  'strategy-options': {
    'register local with a cost that is none': [
      '"object"',
      "TypeError: Invalid option 'hashSize' of the 'local' strategy: expected an integer from 4 to 31, got \"x\""
    ],
    'register jwt with schemes that are no list': [
      '"object"',
      "Error: The 'schemes' option for the jwt strategy must be an array"
    ]
  },
  'strategy-names': {
    'getStrategy __proto__': ['{}', 'undefined'],
    'getStrategies constructor': ['1', '0']
  }
}
