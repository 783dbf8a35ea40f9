export { type Application, alula, alula as feathers } from './client/application.ts'
export { authentication, defaults, hooks } from './client/authentication.ts'
export {
  AuthenticationClient,
  type AuthenticationClientClass,
  type AuthenticationClientOptions
} from './client/authentication-client.ts'
export { type Axios, AxiosClient } from './client/axios.ts'
export type { ClientRecord } from './client/client-record.ts'
export type { ClientServices } from './client/client-services.ts'
export { type EventsOptions, events } from './client/events.ts'
export { type Fetch, FetchClient, type FetchResponse } from './client/fetch.ts'
export { Base, type RestOptions, type RestRequest, type RestSettings } from './client/http.ts'
export type { LiveList, LiveParams, LiveSnapshot, LiveTimers } from './client/live/list.ts'
export { type LiveOptions, live } from './client/live/live.ts'
export type { HashLocation } from './client/location.ts'
export type { AuthenticationResult } from './client/login.ts'
export { type RestHandler, type RestServiceClass, type RestTransports, rest } from './client/rest.ts'
export { sharedEvents } from './client/shared-events.ts'
export type { Socket } from './client/socket.ts'
export { type SocketOptions, SocketService, type SocketSettings, socketio } from './client/socketio.ts'
export {
  defaultStorage,
  getDefaultStorage,
  MemoryStorage,
  type Storage,
  StorageWrapper
} from './client/storage.ts'
export { type Superagent, SuperagentClient } from './client/superagent.ts'
// So that one import is enough. They are augmented with `declare module 'alula'`, here as everywhere.
export type * from './core/types.ts'
export { convert, errors, FeathersError, isFeathersError } from './errors.ts'
