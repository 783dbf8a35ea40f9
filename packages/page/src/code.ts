import {
  isStandard,
  type PageCall,
  type Request,
  ROOT,
  type TokenHeader,
  toHeaders,
  toUrl
} from './request.ts'

/** What stands for the access token in code: the page shows no token. */
const TOKEN = 'TOKEN'

/** Makes code of a call. With `token`, it is made with an access token. */
type ToCode = (call: PageCall, request: Request, token: TokenHeader | undefined) => string

/** The languages that a call is shown in. */
export const LANGUAGES: ReadonlyMap<string, ToCode> = new Map([
  ['curl', toCurl],
  ['fetch', toFetch],
  ['alula', toClientCode]
])

function listHeaders(request: Request): readonly (readonly [name: string, value: string])[] {
  return Object.entries(toHeaders(request)).filter(([name]) => name !== 'Accept')
}

function toCurl(_call: PageCall, request: Request, token: TokenHeader | undefined): string {
  const isPlain = request.verb === 'GET' || (request.verb === 'POST' && request.body !== undefined)

  return [
    `curl -g ${isPlain ? '' : `-X ${request.verb} `}${quote(toUrl(request))}`,
    ...listHeaders(request).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // In double quotes, where the shell fills in the variable.
    ...(token ? [`-H "${token.header}: ${token.prefix}$${TOKEN}"`] : []),
    ...(request.body === undefined ? [] : [`-d ${quote(request.body)}`])
  ].join(' \\\n  ')
}

/** For a shell: nothing has a meaning in single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function toFetch(_call: PageCall, request: Request, token: TokenHeader | undefined): string {
  const toLine = (name: string, value: string) =>
    `    ${name.includes('-') ? toLiteral(name) : name}: ${value}`
  const lines = [
    ...listHeaders(request).map(([name, value]) => toLine(name, toLiteral(value))),
    ...(token ? [toLine(token.header, `\`${token.prefix}\${${TOKEN}}\``)] : [])
  ]
  const options = [
    ...(request.verb === 'GET' ? [] : [`  method: ${toLiteral(request.verb)}`]),
    ...(lines.length > 0 ? [`  headers: {\n${lines.join(',\n')}\n  }`] : []),
    ...(request.body === undefined
      ? []
      : [`  body: JSON.stringify(${toCode(JSON.parse(request.body), '  ')})`])
  ]
  const url = toLiteral(toUrl(request))

  return [
    options.length > 0
      ? `const response = await fetch(${url}, {\n${options.join(',\n')}\n})`
      : `const response = await fetch(${url})`,
    'const result = await response.json()'
  ].join('\n')
}

function toClientCode(
  { service, method, place, id, data, query = {} }: PageCall,
  _request: Request,
  token: TokenHeader | undefined
): string {
  const parts = [
    ...(place.size > 0 ? [`route: ${toCode(Object.fromEntries(place))}`] : []),
    ...(Object.keys(query).length > 0 ? [`query: ${toCode(query)}`] : [])
  ]
  const params = parts.length > 0 ? [`{ ${parts.join(', ')} }`] : []
  const hasId = ['get', 'update', 'patch', 'remove'].includes(method.name)
  const isOmitted = data === undefined && (isStandard(method.name) ? !method.hasData : params.length === 0)
  const call = [
    ...(hasId ? [service.isSingle ? 'null' : toLiteral(id ?? '')] : []),
    ...(isOmitted ? [] : [data === undefined ? 'undefined' : toCode(data)]),
    ...params
  ]
  const path = toLiteral(service.path)
  const url = toLiteral(ROOT.replace(/\/$/, ''))
  const { route } = method
  const routes = route
    ? `, routes: { ${toLiteral(`${route.verb} /${route.path}`)}: ${toLiteral(method.name)} }`
    : ''

  return [
    `import { alula, ${token ? 'authentication, ' : ''}rest } from 'alula/client'`,
    '',
    'const client = alula()',
    `const connection = rest(${url}).fetch(fetch)`,
    '',
    'client.configure(connection)',
    ...(token ? [`client.configure(authentication(${toClientOptions(token)}))`] : []),
    ...(isStandard(method.name) && !service.isSingle
      ? []
      : [
          `client.use(${path}, connection.service(${path}), { methods: [${toLiteral(method.name)}]${routes}${service.isSingle ? ', singleton: true' : ''} })`
        ]),
    '',
    `const result = await client.service(${path}).${method.name}(${call.join(', ')})`
  ].join('\n')
}

function toClientOptions({ header, prefix }: TokenHeader): string {
  return `${header} ${prefix}` === 'Authorization Bearer '
    ? ''
    : `{ header: ${toLiteral(header)}, scheme: ${toLiteral(prefix.trim())} }`
}

/** A value as JavaScript: JSON with bare names. A bare or quoted `__proto__` would set the prototype, so it is computed. */
function toCode(value: unknown, indent = ''): string {
  return JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, (line, space: string, name: string) =>
      name === '__proto__' ? `${space}["__proto__"]:` : line.replace(`"${name}"`, name)
    )
    .replaceAll('\n', `\n${indent}`)
}

function toLiteral(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")

  return `'${inner}'`
}
