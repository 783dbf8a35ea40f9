// No image is built and nothing is applied here: commands run in folders, and files are read.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { createPackageFolder } from '../support/package-folder.ts'
import { readBlocks, readSection } from '../support/page.ts'
import { describeOwnPostgres, startPostgres } from '../support/postgres.ts'
import { readLines } from '../support/program.ts'
import { describeOwnRedis, findPort, startRedis } from '../support/redis.ts'
import { expectSession } from '../support/session.ts'
import { PAGE, readFiles } from './page.ts'

const run = promisify(execFile)
const files = readFiles(PAGE)
const SECRET = 'a secret of more than thirty-two characters'

function read(name: string): string {
  return files.get(name) as string
}

/** An image that was made in a folder. */
interface Image {
  readonly folder: string
  readonly env: { readonly [name: string]: string }
  readonly command: readonly string[]
}

/** Runs the instructions of a Dockerfile, with a folder for each stage. */
async function build(dockerfile: string, context: string, root: string): Promise<Image> {
  const stages = new Map<string, string>()
  const env: { [name: string]: string } = {}
  let [folder, command]: [string, string[]] = ['', []]

  for (const [, instruction, text = ''] of dockerfile.matchAll(/^([A-Z]+) (.+)$/gm)) {
    const words = text.split(' ')

    if (instruction === 'FROM') {
      folder = join(root, `stage-${stages.size}`)
      stages.set(words[2] ?? 'last', folder)
    } else if (instruction === 'WORKDIR') mkdirSync(join(folder, text), { recursive: true })
    else if (instruction === 'COPY') copy(words)
    else if (instruction === 'ENV')
      for (const word of words) env[word.split('=')[0] as string] = word.split('=')[1] as string
    else if (instruction === 'RUN') await run('sh', ['-ec', text], { cwd: join(folder, 'app') })
    else if (instruction === 'CMD') command = JSON.parse(text)
    else if (!['USER', 'EXPOSE'].includes(instruction as string))
      throw new Error(`${instruction} is not known`)
  }

  /** Files of the context, or of another stage. */
  function copy(words: readonly string[]): void {
    const from = stages.get(/^--from=(.+)$/.exec(words[0] as string)?.[1] ?? '')
    const [source, target] = words.slice(-2) as [string, string]

    if (from) cpSync(join(from, source), join(folder, 'app'), { recursive: true })
    else if (source === '.') cpSync(context, join(folder, 'app'), { recursive: true })
    else {
      const pattern = new RegExp(`^${source.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)

      expect(target).toBe('./')
      for (const name of readdirSync(context).filter((name) => pattern.test(name))) {
        cpSync(join(context, name), join(folder, 'app', name))
      }
    }
  }

  return { folder: join(folder, 'app'), env, command }
}

/** A folder with the files of the page, as a build gets it. */
function createContext(root: string): string {
  const context = join(root, 'context')
  const manifest = { name: 'shop', version: '1.0.0', private: true }
  const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest } }

  for (const [path, content] of files) {
    if (path.startsWith('/')) continue

    mkdirSync(dirname(join(context, path)), { recursive: true })
    writeFileSync(join(context, path), content)
  }
  writeFileSync(join(context, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(context, 'package-lock.json'), JSON.stringify(lock))

  return context
}

it('a process does not start in an environment that is not complete', async () => {
  const root = createPackageFolder()
  const [session] = readBlocks(readSection(PAGE, 'The application'), 'console') as [string]

  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  await expectSession(
    [session],
    { 'node app': `env -u PORT ${process.execPath} app`, '|| echo': '2>&1 || echo' },
    createContext(root)
  )
})

describeOwnRedis('the image', () => {
  describeOwnPostgres('with PostgreSQL', () => {
    it('its stages build what migrates, serves and stops', async () => {
      const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
      const root = createPackageFolder()

      onTestFinished(() => rmSync(root, { recursive: true, force: true }))

      const image = await build(read('Dockerfile'), createContext(root), root)
      const { services } = parse(read('compose.yaml'))
      const port = await findPort()
      const options = {
        cwd: image.folder,
        env: {
          PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
          ...image.env,
          PORT: String(port),
          DATABASE_URL: postgres.url,
          REDIS_URL: redis.url,
          SECRET
        }
      }
      const [migrate, ...args] = services.migrate.command

      expect((await run(migrate, args, options)).stdout).toContain('Migrated: 2026-01-01-users-and-notes')

      const [command = '', ...rest] = image.command
      const child = spawn(command, rest, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })

      onTestFinished(() => void child.kill('SIGKILL'))
      await readLines(child.stdout as Readable).waitFor('Listening')

      const [, program, ...check] = services.app.healthcheck.test.map((word: string) =>
        word.replace('localhost:3030', `localhost:${port}`)
      )

      await run(program, check, options)

      const exit = once(child, 'exit')

      child.kill('SIGTERM')
      expect(await exit).toEqual([0, null])
      await expect(run(program, check, options)).rejects.toThrow()
    }, 120_000)
  })
})

const HAS_SYSTEMD = spawnSync('systemd-analyze', ['--version']).status === 0

it.skipIf(!HAS_SYSTEMD)(
  'systemd finds nothing wrong with the unit (skipped where there is no systemd)',
  async () => {
    const root = createPackageFolder()
    const file = join(root, 'shop@3031.service')

    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    writeFileSync(file, read('/etc/systemd/system/shop@.service').replace('/usr/bin/node', process.execPath))

    const { stdout, stderr } = await run('systemd-analyze', ['verify', file])

    // What it says of other units of this machine is not ours.
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('shop@'))).toEqual([])
  }
)

describe('compose.yaml', () => {
  const { services, volumes } = parse(read('compose.yaml'))

  it('what a service depends on is there, and can be waited for', () => {
    for (const { depends_on: needed = {} } of Object.values<any>(services)) {
      for (const [name, { condition }] of Object.entries<any>(needed)) {
        expect(services).toHaveProperty(name)
        if (condition === 'service_healthy') expect(services[name]).toHaveProperty('healthcheck')
        if (condition === 'service_completed_successfully') expect(services[name]).toHaveProperty('command')
      }
    }
  })

  it('volumes are declared, and images have a version', () => {
    const named = Object.values<any>(services).flatMap((service) => service.volumes ?? [])

    expect(named.map((text: string) => text.split(':')[0]).sort()).toEqual(Object.keys(volumes).sort())
    for (const { image, build: folder } of Object.values<any>(services)) {
      if (folder === undefined) expect(image).toMatch(/:\d+$/)
    }
  })

  it('the application gets the variables that it needs', () => {
    const shown = [...read('config.mjs').matchAll(/^ {2}([A-Z_]+): (.+)$/gm)]
    const needed = shown.filter(([, , check = '']) => !/default|optional/.test(check)).map(([, name]) => name)
    const given = [
      ...Object.keys(services.app.environment),
      ...(read('Dockerfile').match(/\b[A-Z_]+(?==)/g) as string[])
    ]

    expect(needed.filter((name) => !given.includes(name as string))).toEqual([])
  })
})

describe('the files of Kubernetes', () => {
  const [deployment, service, budget] = parseAllDocuments(read('shop.yaml')).map((one) => one.toJS())
  const { spec: pod, metadata } = deployment.spec.template
  const [container] = pod.containers

  it('selectors and ports name the same processes', () => {
    expect(deployment.spec.selector.matchLabels).toEqual(metadata.labels)
    expect(service.spec.selector).toEqual(metadata.labels)
    expect(budget.spec.selector.matchLabels).toEqual(metadata.labels)
    expect(service.spec.ports[0].targetPort).toBe(container.ports[0].containerPort)
    expect(read('config.mjs')).toContain(`default(${container.ports[0].containerPort})`)
    expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas)
  })

  it('probes are those of the application', () => {
    for (const name of ['readinessProbe', 'livenessProbe']) {
      const { path, port } = container[name].httpGet

      expect(read('app.mjs')).toContain(`app.get('${path}'`)
      expect(port).toBe(container.ports[0].containerPort)
    }
  })

  it('a process has the time to stop that it takes', () => {
    const [, own] = /process\.exit\(1\), ([\d_]+)\)/.exec(read('app.mjs')) as unknown as [string, string]
    const before = Number(container.lifecycle.preStop.exec.command[1])
    const unit = /TimeoutStopSec=(\d+)/.exec(read('/etc/systemd/system/shop@.service'))?.[1]
    const compose = parse(read('compose.yaml')).services.app.stop_grace_period

    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(before + Number(own.replace('_', '')) / 1000)
    for (const seconds of [Number(unit), Number.parseInt(compose, 10)]) {
      expect(seconds).toBeGreaterThan(Number(own.replace('_', '')) / 1000)
    }
  })

  it('migrations run once, from the same image', () => {
    const job = parse(read('migrate.yaml'))
    const [migration] = job.spec.template.spec.containers

    expect(job.kind).toBe('Job')
    expect(job.spec.template.spec.restartPolicy).toBe('Never')
    expect(migration.image).toBe(container.image)
    expect(migration.command).toEqual(parse(read('compose.yaml')).services.migrate.command)
    expect(read('migrate.mjs')).toContain('migrateToLatest')
  })
})
