import type { Application } from '../core/types.ts'
import { exposure } from '../manifest/exposure.ts'
import { ASSETS, type Asset } from './assets.ts'
import { toConditional } from './conditional.ts'
import type { DocumentPage } from './page.ts'
import { type PageInfo, toLoginData, toPageData } from './page-data.ts'

/** Nothing from elsewhere, nothing inline, and no string becomes code. Sockets of the same host are `'self'` too. */
const POLICY = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'"
].join('; ')

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer'
}

const LOGIN = 'login.json'
const DATA = 'data.json'
const EXPOSURE = 'exposure.json'

/** By name: empty for the page itself. */
const FILES: ReadonlyMap<string, Asset> = new Map(ASSETS.map((asset) => [asset.name, asset]))

/** Opens the page of the library. It is embedded, so that runtimes without files serve it. */
export function openAlulaPage(app: Application, info: PageInfo): DocumentPage {
  return {
    isOpen: (file) => FILES.has(file) || file === LOGIN,

    async read(file, request) {
      if (file === LOGIN) return Response.json(toLoginData(app, info), { headers: HEADERS })
      if (file === DATA) return Response.json(toPageData(app), { headers: HEADERS })
      if (file === EXPOSURE) return Response.json(exposure(app), { headers: HEADERS })

      const asset = FILES.get(file)

      if (!asset) return undefined

      return toConditional(request, asset.content, { ...HEADERS, 'Content-Type': asset.type }, asset.tag)
    }
  }
}
