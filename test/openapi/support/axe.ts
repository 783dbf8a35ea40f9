import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe finds on a page as it is now, one line for each violation. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  if (await page.evaluate("!('axe' in window)")) await page.evaluate(axe.source)

  const violations = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)"
  )) as { id: string; nodes: { html: string; failureSummary: string }[] }[]

  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary.split('\n')[1]}`)
  )
}
