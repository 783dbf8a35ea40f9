import type { Differences } from '../differences.ts'

/** Where connections begin, are served or end in another way. */
export const ofConnections: Differences = {
  'connection-params': {
    'what is on a connection is on the params': [
      '→ {"user":{"id":1},"query":{"of":"the connection"},"route":{"a":1},"provider":"socketio"}',
      '→ {"user":{"id":1},"query":{"b":2},"route":{},"provider":"socketio"}'
    ]
  },
  'sub-application-events': {
    'a sub-application': ['→ {"n":1}', 'sub/notes created {"n":1}, → {"n":1}']
  },
  'message-size': {
    'a message of 200 kB': ['→ 200000 | = "answered"', 'nothing | = "closed"']
  },
  'late-methods': {
    'a service that comes after the connection, with a method that no other has': [
      'nothing | = "no answer"',
      'nothing | = "hello"'
    ]
  },
  'other-requests': {
    'a request that is none of Socket.IO': ['nothing | = "no answer"', 'nothing | = 404']
  },
  'disconnect-event': {
    'the end of a connection by the application': [
      'nothing | nothing | = ["io server disconnect",[true,true],1,true]',
      'nothing | nothing | = ["io server disconnect",[true],1,true]'
    ]
  },
  'refused-handshakes': {
    'a client that comes with a token that is not valid': [
      '= [["refused","jwt malformed",{"name":"JsonWebTokenError"}],[],[]]',
      '= [["refused","Invalid access token",{"name":"NotAuthenticated","message":"Invalid access token","code":401,"className":"not-authenticated"}],[],[]]'
    ],
    'a client that comes with a token that is somebody else’s': [
      '= [["refused","invalid signature",{"name":"JsonWebTokenError"}],[],[]]',
      '= [["refused","invalid signature",{"name":"NotAuthenticated","message":"invalid signature","code":401,"className":"not-authenticated","data":{"name":"JsonWebTokenError"}}],[],[]]'
    ]
  }
}
