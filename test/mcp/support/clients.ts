import * as current from '@modelcontextprotocol/client'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { createHandler } from '../../../src/fetch.ts'
import type { Application } from '../../../src/index.ts'
import { getToken, RESOURCE } from './application.ts'

/** What sends requests: an application, or `fetch`. */
export type Send = (request: Request) => Promise<Response>

/** What a test sees of a client, of whatever era. */
export interface TestClient {
  list(): Promise<any[]>
  /** The text of a result, or of a fault; what is no result of a tool is thrown. */
  call(name: string, args?: object, meta?: object): Promise<CallOutcome>
}

export interface CallOutcome {
  readonly isError: boolean
  readonly text: string
  /** The text as JSON. */
  readonly json: any
  readonly result: any
}

/** Says yes or no to a question. */
export type Answer = 'accept' | 'decline'

export interface ClientOptions {
  readonly token?: string | undefined
  /** What the user says; the client cannot ask without it. */
  readonly answer?: Answer | ((message: string) => Answer)
  readonly send?: Send
  readonly url?: string
}

/** The official clients, by the protocol that they speak. */
export const CLIENTS = {
  'the client of 2026-07-28': connectCurrent,
  'the client of the era before': connectFormer
}

/** A client of a user, that ends with the test. */
export async function connect(
  app: Application,
  id?: number,
  options: ClientOptions = {}
): Promise<TestClient> {
  return connectCurrent(app, { ...(id !== undefined && { token: await getToken(app, id) }), ...options })
}

/** The official client of the protocol of 2026-07-28. */
export async function connectCurrent(app: Application, options: ClientOptions = {}): Promise<TestClient> {
  const { answer } = options
  const client = new current.Client(
    { name: 'a test', version: '1.2.3' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } }
    }
  )

  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: say(answer, params.message),
      content: {}
    }))
  }

  await client.connect(
    new current.StreamableHTTPClientTransport(new URL(options.url ?? RESOURCE), toTransport(app, options))
  )
  onTestFinished(() => client.close())

  return toTestClient(client)
}

/** The official client of the era before. */
export async function connectFormer(app: Application, options: ClientOptions = {}): Promise<TestClient> {
  const { answer } = options
  const client = new FormerClient(
    { name: 'a test', version: '1.2.3' },
    { capabilities: answer === undefined ? {} : { elicitation: { form: {} } } }
  )

  await client.connect(
    new FormerTransport(new URL(options.url ?? RESOURCE), toTransport(app, options)) as any
  )
  onTestFinished(() => client.close())

  return toTestClient(client)
}

/** A message as a client of 2026-07-28 sends it, for what the official one does not send. */
export async function post(
  app: Application,
  method: string,
  params: { [name: string]: unknown } = {},
  {
    token,
    headers = {},
    elicits = true
  }: { token?: string; headers?: { [name: string]: string }; elicits?: boolean } = {}
): Promise<{ response: Response; body: any }> {
  const response = await createHandler(app, { logger: false })(
    new Request(RESOURCE, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        ...(typeof params.name === 'string' && { 'Mcp-Name': params.name }),
        ...(token && { Authorization: `Bearer ${token}` }),
        ...headers
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.2.3' },
            'io.modelcontextprotocol/clientCapabilities': elicits ? { elicitation: { form: {} } } : {}
          }
        }
      })
    })
  )
  const text = await response.text()

  return { response, body: text.startsWith('{') ? JSON.parse(text) : text }
}

function say(answer: Answer | ((message: string) => Answer), message: string): Answer {
  return typeof answer === 'function' ? answer(message) : answer
}

function toTransport(
  app: Application,
  { token, send = createHandler(app, { logger: false }) }: ClientOptions
): any {
  return {
    fetch: (url: string | URL, init?: RequestInit) => send(new Request(url, init)),
    requestInit: { headers: token ? { Authorization: `Bearer ${token}` } : {} }
  }
}

function toTestClient(client: any): TestClient {
  return {
    list: async () => (await client.listTools()).tools,
    async call(name, args = {}, meta) {
      const result = await client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) })
      const text = result.content.map((part: any) => part.text).join('\n')

      return {
        result,
        text,
        isError: result.isError === true,
        get json() {
          return JSON.parse(result.content[0].text)
        }
      }
    }
  }
}
