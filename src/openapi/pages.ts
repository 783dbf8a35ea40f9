import type { Application } from '../core/types.ts'
import type { OptionCheck } from '../utils/options.ts'
import { openAlulaPage } from './alula-page.ts'
import type { DocumentPage } from './page.ts'
import type { PageInfo } from './page-data.ts'
import { openSwaggerUi } from './swagger-ui.ts'

/** What opens the pages. */
export const PAGES = { alula: openAlulaPage, 'swagger-ui': openSwaggerUi } as const satisfies {
  [name: string]: (app: Application, info: PageInfo) => DocumentPage
}

/** The pages that there are. */
export type PageName = keyof typeof PAGES

/** What the option `page` may be. */
export const PAGE_CHECK: OptionCheck = [
  (page) => page === false || Object.hasOwn(PAGES, page as string),
  `false, or one of ${Object.keys(PAGES)
    .map((name) => `'${name}'`)
    .join(', ')}`
]
