/** A JSON schema of the configuration, for applications that check theirs by one. */
export const authenticationSettingsSchema = {
  type: 'object',
  required: ['secret', 'entity', 'authStrategies'],
  properties: {
    secret: {
      oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      description: 'What access tokens are signed with; of several the first one signs'
    },
    entity: { oneOf: [{ type: 'null' }, { type: 'string' }], description: 'The name of the entity, or null' },
    entityId: { type: 'string', description: 'The name of the id of an entity' },
    service: { type: 'string', description: 'The path of the entity service' },
    authStrategies: {
      type: 'array',
      items: { type: 'string' },
      description: 'The strategies that may create an access token'
    },
    parseStrategies: {
      type: 'array',
      items: { type: 'string' },
      description: 'The strategies that look for credentials in requests'
    },
    jwtOptions: { type: 'object', description: 'How access tokens are signed and verified' },
    jwt: {
      type: 'object',
      properties: {
        header: { type: 'string', description: 'The name of the header that holds the token' },
        schemes: { type: 'array', items: { type: 'string' }, description: 'The schemes of that header' }
      }
    },
    local: {
      type: 'object',
      required: ['usernameField', 'passwordField'],
      properties: {
        usernameField: { type: 'string', description: 'The name of the username in the request' },
        passwordField: { type: 'string', description: 'The name of the password in the request' },
        hashSize: { type: 'number', description: 'The cost of a bcrypt hash, as a power of two' },
        errorMessage: { type: 'string', description: 'What every login that fails is answered with' },
        entityUsernameField: { type: 'string', description: 'The name of the username in the entity' },
        entityPasswordField: { type: 'string', description: 'The name of the password in the entity' }
      }
    }
  }
} as const
