import { type Application, feathers, type TransportConnection } from '../../../src/index.ts'
import { messageClient } from './messages.shared.ts'

export type { Message, MessageData, MessagePatch, MessageQuery } from './messages.shared.ts'

export interface Configuration {
  connection: TransportConnection<ServiceTypes>
}

/** Filled by each service. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by augmentation
export interface ServiceTypes {}

export type ClientApplication = Application<ServiceTypes, Configuration>

export const createClient = (connection: TransportConnection<ServiceTypes>) => {
  const client: ClientApplication = feathers()

  client.configure(connection)
  client.set('connection', connection)
  client.configure(messageClient)

  return client
}
