// Workflows run on GitHub alone. What can be said of them without running them is checked here.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDER = join(ROOT, '.github/workflows')

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: { readonly [name: string]: unknown }
}

interface Job {
  readonly 'runs-on'?: string
  readonly 'timeout-minutes'?: number
  readonly permissions?: unknown
  readonly needs?: string | readonly string[]
  readonly environment?: string
  readonly services?: { readonly [name: string]: { readonly image: string; readonly options?: string } }
  readonly steps?: readonly Step[]
}

interface Workflow {
  readonly on?: { readonly [event: string]: unknown }
  readonly permissions?: unknown
  readonly concurrency?: { readonly group: string }
  readonly jobs: { readonly [name: string]: Job }
}

const files = readdirSync(FOLDER)

/** What a job may do besides reading, by file and job. */
const PERMISSIONS: { readonly [job: string]: object } = {
  'codeql.yml analyze': { contents: 'read', 'security-events': 'write' },
  'publish.yml publish': { 'id-token': 'write' },
  'publish.yml release': { contents: 'write' }
}

/** Programs that run code of dependencies, or of the repository. */
const RUNS_CODE = /\bnpm (?!publish\b)|\bnpx\b|\bnode\s|actions\/checkout/

/** What is wrong with the text of a workflow. */
function findFaults(text: string, file = ''): readonly string[] {
  const { on = {}, permissions, concurrency, jobs } = parse(text) as Workflow
  const faults = [
    JSON.stringify(permissions) === '{"contents":"read"}' ? '' : 'its permissions are not contents: read',
    concurrency?.group ? '' : 'it has no concurrency',
    // It runs with the secrets of the repository, on code of anybody.
    'pull_request_target' in on ? 'it runs on pull_request_target' : ''
  ]

  for (const [name, job] of Object.entries(jobs)) {
    faults.push(...findJobFaults(job, PERMISSIONS[`${file} ${name}`]).map((fault) => `${name}: ${fault}`))
  }
  for (const [line] of text.matchAll(/^.*\buses:.*$/gm)) {
    if (!/uses: [\w-]+\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))
      faults.push(`not pinned: ${line.trim()}`)
  }

  return faults.filter((fault) => fault !== '')
}

function findJobFaults(job: Job, allowed: object | undefined): readonly string[] {
  const { steps = [], services = {} } = job

  return [
    job['runs-on'] ? '' : 'it runs on nothing',
    job['timeout-minutes'] ? '' : 'it has no timeout',
    JSON.stringify(job.permissions) === JSON.stringify(allowed) ? '' : 'it has other permissions than it may',
    ...Object.entries(services).map(([name, { image, options = '' }]) =>
      /:\d/.test(image) && options.includes('--health-cmd') ? '' : `${name} has no version or no health check`
    ),
    ...steps.map(({ uses = '', run = '', with: inputs }) => {
      if (uses === '' && run === '') return 'a step does nothing'
      // Such an expression is put into the script as it is: a title of a pull request becomes code.
      if (/\$\{\{.*github\.event/.test(run)) return `a script has what others wrote: ${run}`
      if (uses.startsWith('actions/checkout@') && inputs?.['persist-credentials'] !== false) {
        return 'the checkout keeps its token'
      }

      return ''
    })
  ].filter((fault) => fault !== '')
}

it.each(files)('%s has the least permissions, and pins what it uses', (file) => {
  expect(findFaults(readFileSync(join(FOLDER, file), 'utf8'), file)).toEqual([])
})

it.each(files)('%s runs scripts and programs that are there', (file) => {
  const { jobs } = parse(readFileSync(join(FOLDER, file), 'utf8')) as Workflow
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const lines = Object.values(jobs).flatMap(({ steps = [] }) =>
    steps.flatMap(({ run = '' }) => run.split('\n'))
  )
  const names = lines.flatMap(
    (line) => /^npm (?:run )?(?!(?:ci|init|install|pack|sbom)\b)([\w:]+)/.exec(line)?.[1] ?? []
  )
  const programs = lines.flatMap((line) => /^\.[\w/.-]+/.exec(line)?.[0] ?? [])

  expect(lines.length).toBeGreaterThan(0)
  expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  expect(programs.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

it('what publishes or releases runs no code but npm publish and gh', () => {
  const { on, jobs } = parse(readFileSync(join(FOLDER, 'publish.yml'), 'utf8')) as Workflow
  const { pack, ...others } = jobs
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const steps = Object.values(others).flatMap(({ steps = [] }) => steps)

  expect(on).toEqual({ push: { tags: ['v*'] } })
  expect(pack?.permissions).toBeUndefined()
  expect(jobs.publish).toMatchObject({ needs: 'pack', environment: 'npm' })
  for (const { run = '', uses = '' } of steps) expect(`${run} ${uses}`).not.toMatch(RUNS_CODE)
  expect(steps.map(({ run = '' }) => run).join()).toMatch(/npm publish .*--provenance.*--ignore-scripts/)
  // Nothing else can publish: there is no token.
  expect(readFileSync(join(FOLDER, 'publish.yml'), 'utf8')).not.toMatch(/secrets\.|NODE_AUTH_TOKEN|NPM_TOKEN/)

  const packed = pack?.steps?.map(({ run = '' }) => run).join() ?? ''
  const names = readdirSync(join(ROOT, (workspaces as string[])[0]?.replace('/*', '') as string))
    .map((folder) => JSON.parse(readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8')))
    .filter((manifest) => !manifest.private)
    .map(({ name }) => name as string)

  expect([...packed.matchAll(/--workspace (\S+)/g)].map(([, name]) => name).sort()).toEqual(names.sort())
  expect(packed).toContain('npm sbom')
})

it('new versions are proposed of actions and of all lockfiles', () => {
  const { updates } = parse(readFileSync(join(ROOT, '.github/dependabot.yml'), 'utf8'))
  const [actions, packages] = updates

  expect(updates.map((update: { 'package-ecosystem': string }) => update['package-ecosystem'])).toEqual([
    'github-actions',
    'npm'
  ])
  expect(actions.directory).toBe('/')
  for (const folder of packages.directories)
    expect(existsSync(join(ROOT, folder, 'package-lock.json'))).toBe(true)
})

it('what is wrong with a workflow is found', () => {
  const faults = findFaults(`
on: { pull_request_target: }
permissions: write-all
jobs:
  check:
    permissions: { contents: write }
    services: { redis: { image: redis } }
    steps:
      - uses: actions/checkout@v7
      - run: echo "\${{ github.event.issue.title }}"
      - name: Nothing
`)

  expect(faults).toEqual([
    'its permissions are not contents: read',
    'it has no concurrency',
    'it runs on pull_request_target',
    'check: it runs on nothing',
    'check: it has no timeout',
    'check: it has other permissions than it may',
    'check: redis has no version or no health check',
    'check: the checkout keeps its token',
    `check: a script has what others wrote: echo "\${{ github.event.issue.title }}"`,
    'check: a step does nothing',
    'not pinned: - uses: actions/checkout@v7'
  ])
})
