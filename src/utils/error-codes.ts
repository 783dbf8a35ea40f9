/**
 * The codes of errors that only a developer can cause, and of warnings of the process. `scripts/error-codes.mjs` makes
 * docs/error-codes.md from these comments: the cause, and after `@fix` what to do. An interface, because nothing of it
 * gets into a bundle.
 */
export interface Codes {
  /**
   * The body of a request was read before alula could read it, and `request.body` is not set.
   *
   * @fix Register the middleware that reads the body after the services, or let it set `request.body`.
   */
  ALULA_BODY_CONSUMED: 'error'

  /**
   * A query of the client contains itself, so it cannot be written into a URL.
   *
   * @fix Pass a query of plain values, without references to its own parents.
   */
  ALULA_CIRCULAR_QUERY: 'error'

  /**
   * `closed()` refuses methods that nothing guards, or its `open` option names services or methods that do not exist.
   *
   * @fix Give each named service the `access` option or an `authenticate` hook, or remove the method from `methods`. Correct the names in `open`.
   */
  ALULA_CLOSED: 'warning'

  /**
   * A plugin is configured after `app.setup()` has started.
   *
   * @fix Call `app.configure(…)` before `app.setup()` and `app.listen()`.
   */
  ALULA_CONFIGURED_TOO_LATE: 'error'

  /**
   * A plugin or a client connection is configured twice on one application.
   *
   * @fix Remove the second `app.configure(…)`.
   */
  ALULA_CONFIGURED_TWICE: 'error'

  /**
   * A schema uses one field name for two things: a field that the server sets is also in a schema for input, a relation has the name of a field, or a computed field that of the id.
   *
   * @fix Remove the field from the input schema, or rename the relation or the computed field.
   */
  ALULA_CONFLICTING_FIELD: 'error'

  /**
   * The schema of a service and its table differ.
   *
   * @fix Run the missing migration, or correct the schema. `drift: 'warn'` starts the application all the same.
   */
  ALULA_DRIFT: 'error' | 'warning'

  /**
   * A service brought hooks of another library, so `closed()` cannot guard its methods.
   *
   * @fix Create the service without those hooks, and add them with `service.hooks(…)`.
   */
  ALULA_FOREIGN_HOOKS: 'error'

  /**
   * The column by which a service of `alula/kysely` finds records has no unique index. A call for a value that several
   * records have is a 409 and changes nothing.
   *
   * @fix Make the column the primary key, add a unique index on it alone, or set the option `id` to a column that has one.
   */
  ALULA_ID_NOT_UNIQUE: 'warning'

  /**
   * The rules of `access` are not rules, or do not fit the service.
   *
   * @fix Pass a function for each method, such as `access({ find: anyone, create: user })`. The message names the rule.
   */
  ALULA_INVALID_ACCESS: 'error'

  /**
   * A function expects an application and got something else, or an application of another framework.
   *
   * @fix Pass what `alula()` returns. `rest()` of `alula/express` and of `alula/koa` needs the application of that framework: `express(alula())`, `koa(alula())`.
   */
  ALULA_INVALID_APPLICATION: 'error'

  /**
   * A function is called with an argument that it does not accept.
   *
   * @fix Call the function as the message shows.
   */
  ALULA_INVALID_ARGUMENT: 'error'

  /**
   * A transport passed a connection without the name of the transport.
   *
   * @fix Set `provider` on each connection.
   */
  ALULA_INVALID_CONNECTION: 'error'

  /**
   * A hook is not a function, or hooks are not in lists.
   *
   * @fix Pass functions, in lists where the message asks for them. Call a factory of hooks: `hashPassword('password')`.
   */
  ALULA_INVALID_HOOK: 'error'

  /**
   * No valid token can be made with the `jwtOptions` of the authentication configuration.
   *
   * @fix Correct the option that the message names.
   */
  ALULA_INVALID_JWT_OPTIONS: 'error'

  /**
   * The middleware of a service is not a list of functions, or is put around an application that has services.
   *
   * @fix Pass functions to `app.use(path, service, …)`. Put middleware around the services of a mounted application.
   */
  ALULA_INVALID_MIDDLEWARE: 'error'

  /**
   * An option has a value that it cannot have.
   *
   * @fix Give the option the value that the message expects.
   */
  ALULA_INVALID_OPTION: 'error'

  /**
   * The path of a service or of `app.mount` is not a path.
   *
   * @fix Pass a string such as `'messages'` to `app.use`, and one such as `'/docs'` to `app.mount`.
   */
  ALULA_INVALID_PATH: 'error'

  /**
   * A publisher is not a function.
   *
   * @fix Pass a function that returns channels: `app.publish(() => app.channel('everybody'))`.
   */
  ALULA_INVALID_PUBLISHER: 'error'

  /**
   * A relation of a schema has a name that queries cannot use, starts from an object or a list, or compares fields whose kinds differ, or `one()` or `many()` got no path of a service.
   *
   * @fix Write it as `author: one('users', { from: 'authorId' })`, with a name without dots and without `$` at the start, and a `from` that holds a single value of the kind that the other field has.
   */
  ALULA_INVALID_RELATION: 'error'

  /**
   * A hook or middleware set a status or a header that HTTP does not allow.
   *
   * @fix Set a status from 200 to 599, and headers whose names and values HTTP allows.
   */
  ALULA_INVALID_RESPONSE: 'error'

  /**
   * A function of the application returned a value that it may not return.
   *
   * @fix Return what the message expects. A function that has to decide at once cannot be `async`.
   */
  ALULA_INVALID_RETURN_VALUE: 'error'

  /**
   * A pattern in `routes` is malformed, names a method that clients do not have, or matches the requests of another route.
   *
   * @fix Write it as `'POST /:id/favorite': 'favorite'`, and list the method in `methods`.
   */
  ALULA_INVALID_ROUTE: 'error'

  /**
   * A schema is not a schema of a supported library and not a valid JSON Schema, has a misspelt keyword, or does not fit the service.
   *
   * @fix Pass a schema of Zod, Valibot, ArkType, Joi or TypeBox, or a valid JSON Schema. The message names the part. If a keyword is your own, begin its name with `x-`, or pass an instance of Ajv that has it.
   */
  ALULA_INVALID_SCHEMA: 'error'

  /**
   * The `secret` of the authentication configuration is not a key for the configured algorithm.
   *
   * @fix Set the private key as a string in PEM format, or choose an algorithm such as `HS256`.
   */
  ALULA_INVALID_SECRET: 'error'

  /**
   * The object that is registered is not a service, for example because a class or a factory was passed.
   *
   * @fix Register an object with at least one of the service methods: `app.use('messages', memory())`, or `new Messages()`.
   */
  ALULA_INVALID_SERVICE: 'error'

  /**
   * A strategy is not an object with a name, or comes from another package than the authentication service.
   *
   * @fix Register an instance: `authentication.register('local', new LocalStrategy())`. Import both from `alula/authentication`.
   */
  ALULA_INVALID_STRATEGY: 'error'

  /**
   * A hook failed after `transaction.end()`: the record is stored, and the client gets an error.
   *
   * @fix Put `transaction.end()` last in `after`.
   */
  ALULA_LATE_ERROR: 'warning'

  /**
   * A hook is used as a type of hook that it cannot be, or as middleware.
   *
   * @fix Use the hook where the message says: `hashPassword` in `before` or `around`, `protect` in `after` or `around`.
   */
  ALULA_MISPLACED_HOOK: 'error'

  /**
   * An option that is needed is not set.
   *
   * @fix Set the option that the message names.
   */
  ALULA_MISSING_OPTION: 'error'

  /**
   * An optional package is not installed.
   *
   * @fix Run the command that the message shows.
   */
  ALULA_MISSING_PACKAGE: 'error'

  /**
   * A hook needs the schema of a service that has none.
   *
   * @fix Register the service with the `schema` option, or remove the hook.
   */
  ALULA_MISSING_SCHEMA: 'error'

  /**
   * The authentication configuration has no `secret`, so no token can be made.
   *
   * @fix Set `authentication.secret`, for example from an environment variable.
   */
  ALULA_MISSING_SECRET: 'error'

  /**
   * Node cannot start the thread that hashes passwords.
   *
   * @fix Read what Node says at the end of the message. With `--permission`, start with `--allow-worker`, too.
   */
  ALULA_NO_HASHING_THREAD: 'error'

  /**
   * The table of a service does not exist, or has no column for ids.
   *
   * @fix Run migrations before `app.setup()`, and check the `name`, `id` and `by` options.
   */
  ALULA_MISSING_TABLE: 'error' | 'warning'

  /**
   * A hook called `next()` more than once.
   *
   * @fix Call `next()` once in each around hook.
   */
  ALULA_NEXT_CALLED_TWICE: 'error'

  /**
   * A plugin, or a rule of `access`, needs an authentication service, and the application has none.
   *
   * @fix Register one first: `app.use('authentication', new AuthenticationService(app))`.
   */
  ALULA_NO_AUTHENTICATION: 'error' | 'warning'

  /**
   * `app.listen()` is called on an application that has no server.
   *
   * @fix Use `express(app)`, `koa(app)` or `socketio()`, or pass the application to `toListener` or `createHandler`.
   */
  ALULA_NO_SERVER: 'error'

  /**
   * Tests of alula need `describe` and `it` of a test runner, and found none.
   *
   * @fix Pass them as options, or enable the globals of the test runner.
   */
  ALULA_NO_TEST_RUNNER: 'error'

  /**
   * The server listens, and no transport leads to its services.
   *
   * @fix Configure a transport, for example `app.configure(rest())`.
   */
  ALULA_NO_TRANSPORT: 'warning'

  /**
   * A function that makes a plugin, middleware or a hook is passed on instead of called.
   *
   * @fix Call it: `app.configure(socketio())`, `app.use(notFound())`, `[transaction.start()]`.
   */
  ALULA_NOT_CALLED: 'error'

  /**
   * A method is called on a client service that only a server has.
   *
   * @fix Call it on the server.
   */
  ALULA_NOT_ON_CLIENT: 'error'

  /**
   * The application is used before `app.setup()`, so its services are not prepared.
   *
   * @fix Await `app.setup()` first, or call `app.listen()`, which calls it.
   */
  ALULA_NOT_SET_UP: 'error' | 'warning'

  /**
   * The OpenAPI document does not describe some fields, because their schemas cannot be described as JSON Schema.
   *
   * @fix Describe these fields with types that JSON has, such as a string for a `bigint`.
   */
  ALULA_OPENAPI: 'warning'

  /**
   * A statement inside `withTransaction` runs outside the transaction.
   *
   * @fix Run it with the transaction, as the message shows. Ignore the warning if it should stay after a rollback.
   */
  ALULA_OUTSIDE_TRANSACTION: 'warning'

  /**
   * A path is registered that already leads to a service, to a route of one, or to a mounted function.
   *
   * @fix Choose another path, or remove one of the two.
   */
  ALULA_PATH_TAKEN: 'error'

  /**
   * A method or a parameter of one has a name that the library uses itself.
   *
   * @fix Rename it.
   */
  ALULA_RESERVED_NAME: 'error'

  /**
   * A result is not what the schema of its service declares.
   *
   * @fix Correct the record in the store, or the schema.
   */
  ALULA_RESULT: 'error' | 'warning'

  /**
   * A route matches requests for a record whose id, or other field named by `by`, has the same value.
   *
   * @fix Refuse that value when records are written, or rename the route.
   */
  ALULA_ROUTE_BEFORE_ID: 'warning'

  /**
   * `app.listen()` is called while `app.setup()` is running.
   *
   * @fix Await `app.setup()` first, or remove it: `app.listen()` calls it.
   */
  ALULA_SETUP_RUNNING: 'error'

  /**
   * One schema object is used by services that need different ones.
   *
   * @fix Call `schema()` or `table()` for each service.
   */
  ALULA_SHARED_SCHEMA: 'error'

  /**
   * Two authentication services accept the tokens of each other.
   *
   * @fix Give them different secrets or audiences.
   */
  ALULA_SHARED_TOKENS: 'warning'

  /**
   * The authentication secret is so short that it can be guessed.
   *
   * @fix Use at least 32 random bytes, for example from `openssl rand -base64 48`.
   */
  ALULA_SHORT_SECRET: 'warning'

  /**
   * One strategy object is registered under two names.
   *
   * @fix Create one for each name.
   */
  ALULA_STRATEGY_TAKEN: 'error'

  /**
   * `app.teardown()` is called while `app.listen()` sets the application up, for instance by a signal. It does not listen then.
   *
   * @fix None is needed when the process is to end. Otherwise call `app.teardown()` later.
   */
  ALULA_TORN_DOWN: 'error'

  /**
   * A statement waits for the connection that its own transaction holds.
   *
   * @fix Run the statement with the transaction, as the message shows.
   */
  ALULA_TRANSACTION_DEADLOCK: 'error'

  /**
   * The connection of a transaction is used before the transaction has begun.
   *
   * @fix Use `getTransaction(db)`, or `withTransaction(db, async (trx) => …)`, which begins at once.
   */
  ALULA_TRANSACTION_NOT_BEGUN: 'error'

  /**
   * The process has loaded two copies of alula. Each has its own marks on services, so that one does not recognise the services of the other.
   *
   * @fix `npm ls alula` shows which packages bring a copy. Install one version for all of them.
   */
  ALULA_TWO_COPIES: 'warning'

  /**
   * A field was removed from a response because the schema of the service does not declare it.
   *
   * @fix Declare the field, or remove it from the result. A field that clients must not see is declared and named in `hidden`.
   */
  ALULA_UNDECLARED_FIELD: 'error' | 'warning'

  /**
   * The schema for `create` or `patch` cannot be derived from the record.
   *
   * @fix Write the schemas for `create` and `patch`, as the message shows.
   */
  ALULA_UNDERIVABLE_SCHEMA: 'error'

  /**
   * A schema cannot be described as JSON Schema, which the service needs.
   *
   * @fix Follow the message: install the converter of the library, or use types that JSON Schema can describe.
   */
  ALULA_UNDESCRIBABLE_SCHEMA: 'error'

  /**
   * A listener or a publisher failed, and the application has no listener for errors.
   *
   * @fix Add `app.on('error', …)`, and correct what the message names.
   */
  ALULA_UNHEARD_ERROR: 'warning'

  /**
   * A publisher is registered for an event that the service does not send.
   *
   * @fix Correct the name, or list the event in an option of the service: in `events` if the service emits it, in
   * `serviceEvents` if a hook sets `context.event`.
   */
  ALULA_UNKNOWN_EVENT: 'error'

  /**
   * A schema, a relation or a table names a field that is not declared.
   *
   * @fix Correct the name, or declare the field.
   */
  ALULA_UNKNOWN_FIELD: 'error'

  /**
   * Hooks have a type that does not exist.
   *
   * @fix Use `around`, `before`, `after` or `error`, or for an application also `setup` and `teardown`.
   */
  ALULA_UNKNOWN_HOOK_TYPE: 'error'

  /**
   * An event is about an item that is not in the result of its call, so what clients may see of it is unknown.
   *
   * @fix Emit events with the items of `context.result` themselves, not with copies.
   */
  ALULA_UNKNOWN_ITEM: 'error'

  /**
   * Hooks, access, a schema or a relation name a method that the service does not have.
   *
   * @fix Correct the name, or add the method to the service and to its `methods` option.
   */
  ALULA_UNKNOWN_METHOD: 'error'

  /**
   * A service allows an operator that the adapter does not implement.
   *
   * @fix Remove it from the `operators` option, or pass its predicate to `toPredicate`.
   */
  ALULA_UNKNOWN_OPERATOR: 'error'

  /**
   * An option does not exist.
   *
   * @fix Correct the name. The message names the nearest option, or all of them.
   */
  ALULA_UNKNOWN_OPTION: 'error'

  /**
   * The OAuth configuration does not say under which URL clients reach the server.
   *
   * @fix Set `authentication.oauth.defaults.origin`.
   */
  ALULA_UNKNOWN_ORIGIN: 'error'

  /**
   * The OAuth configuration names a provider that is not known, or a strategy has no provider.
   *
   * @fix Correct the name, or set the `issuer` or the endpoints of the provider in `authentication.oauth`.
   */
  ALULA_UNKNOWN_PROVIDER: 'error' | 'warning'

  /**
   * No service is registered at the path.
   *
   * @fix Correct the path, or register the service first.
   */
  ALULA_UNKNOWN_SERVICE: 'error'

  /**
   * A hook or the configuration names a strategy that is not registered.
   *
   * @fix Correct the name, or register the strategy before `app.setup()`.
   */
  ALULA_UNKNOWN_STRATEGY: 'warning'

  /**
   * A strategy is used without an authentication service.
   *
   * @fix Register it first: `authentication.register(name, strategy)`.
   */
  ALULA_UNREGISTERED_STRATEGY: 'error'

  /**
   * An event cannot be sent to other processes, because its data contains itself.
   *
   * @fix Emit plain values, without references to their own parents.
   */
  ALULA_UNSENDABLE_EVENT: 'error'

  /**
   * The OAuth login would set its token in a cookie that browsers do not store or that has no name.
   *
   * @fix Set the `cookie` option of the JWT strategy. A name with `__Host-` or `__Secure-` needs HTTPS.
   */
  ALULA_UNSTORABLE_COOKIE: 'error'

  /**
   * The database, or a mode of it, is not supported.
   *
   * @fix Use SQLite, PostgreSQL, MySQL or MariaDB, and switch off the mode that the message names.
   */
  ALULA_UNSUPPORTED_DATABASE: 'error'

  /**
   * An option needs files, which this runtime does not have.
   *
   * @fix Remove the option, or use Node.
   */
  ALULA_UNSUPPORTED_RUNTIME: 'error'
}

/** A code that an error has. */
export type ErrorCode = CodeOf<'error'>

/** A code that a warning of the process has. */
export type WarningCode = CodeOf<'warning'>

/** A code of a mistake that is an error for a listener, and a warning without one. */
export type MistakeCode = ErrorCode & WarningCode

type CodeOf<Kind> = { [Code in keyof Codes]: Kind extends Codes[Code] ? Code : never }[keyof Codes]
