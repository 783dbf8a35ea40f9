import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { certificate } from '../support/certificate.ts'
import { describeUnless } from '../support/describe-unless.ts'
import { createPackageFolder } from '../support/package-folder.ts'
import { describeOwnPostgres, startPostgres } from '../support/postgres.ts'
import { describeOwnRedis, findPort, startRedis } from '../support/redis.ts'
import { PAGE, readFiles } from './page.ts'
import { startUnits, type Units } from './units.ts'

const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'].find(existsSync)

/** The manifest of the application: the packages are those that are installed here, in a folder above. */
const MANIFEST = { name: 'shop', version: '1.0.0', private: true }

/** A machine of the page, as a folder: its files, its servers, and its commands. */
export interface Machine {
  readonly folder: string
  readonly units: Units
  /** The origin that the proxy has, and the certificate of that. */
  readonly origin: string
  readonly ca: string
  /** What to replace in texts of the page: addresses, ports and folders. */
  readonly here: { readonly [text: string]: string }
  /** Runs commands of the page as one script of a shell; returns what they print. */
  run(...commands: readonly string[]): Promise<string>
  /** Puts a file of the page, or one that has changed, at its place. */
  write(path: string, content: string): string
  read(path: string): string
}

/** Tests that run the page on one machine. Without a server that it needs they are skipped, and say which. */
export function describeMachine(name: string, define: () => void): void {
  describeOwnRedis(name, () => {
    describeOwnPostgres('with PostgreSQL', () => {
      describeUnless(
        NGINX === undefined
          ? "there is no nginx: install it, on Debian with 'apt-get install nginx'"
          : undefined,
        'with nginx',
        define
      )
    })
  })
}

/** Starts PostgreSQL, Redis and nginx, and writes the files of the page. */
export async function startMachine(): Promise<Machine> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis({ isPersistent: true })])
  const [http, first, second] = [await findPort(), await findPort(), await findPort()]
  const folder = createPackageFolder()
  const bin = join(folder, 'bin')
  const { port: databasePort } = new URL(postgres.url)
  const here = {
    '/srv/shop': join(folder, 'srv'),
    '/etc/': `${folder}/etc/`,
    '/var/backups/': `${folder}/`,
    'listen 443': `listen 127.0.0.1:${http}`,
    'server_name example.com': 'server_name localhost',
    'https://example.com': `https://localhost:${http}`,
    '3031': String(first),
    '3032': String(second),
    '127.0.0.1:5432': `127.0.0.1:${databasePort}`,
    'redis://127.0.0.1:6379': redis.url,
    'runuser -u postgres -- ': '',
    '/usr/bin/node': process.execPath
  }
  const toHere = (text: string) =>
    Object.entries(here).reduce((changed, [from, to]) => changed.replaceAll(from, to), text)
  const writeAsIs = (path: string, content: string) => {
    const file = toHere(path.startsWith('/') ? path : `/srv/shop/${path}`)

    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)

    return file
  }
  const write = (path: string, content: string) => writeAsIs(path, toHere(content))

  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(bin)
  for (const [path, content] of readFiles(PAGE)) write(path, content)
  write('package.json', JSON.stringify(MANIFEST))
  write('package-lock.json', JSON.stringify({ ...MANIFEST, lockfileVersion: 3, packages: { '': MANIFEST } }))
  for (const name of ['fullchain', 'privkey']) {
    // Its random characters may look like a port of the page.
    writeAsIs(`/etc/letsencrypt/live/example.com/${name}.pem`, certificate)
  }

  await startNginx(folder, bin)

  return {
    folder,
    here,
    units: await startUnits(join(folder, 'etc/systemd/system/shop@.service'), bin),
    origin: `https://localhost:${http}`,
    ca: certificate,
    write,
    read: (path) => readFileSync(toHere(path), 'utf8'),
    async run(...commands) {
      const { stdout } = await promisify(execFile)('sh', ['-ec', toHere(commands.join('\n'))], {
        cwd: join(folder, 'srv'),
        // Variables of the test would win over those of the file.
        env: {
          HOME: process.env.HOME,
          PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
          PGHOST: '127.0.0.1',
          PGPORT: databasePort,
          PGUSER: 'postgres'
        }
      })

      return stdout
    }
  }
}

/** As after its installation: it runs, and serves what is in `conf.d` after a reload. */
async function startNginx(folder: string, bin: string): Promise<void> {
  const port = await findPort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temp-${name};`)
    .join('\n')
  const args = ['-p', folder, '-e', join(folder, 'nginx.log'), '-c', join(folder, 'nginx.conf')]

  writeFileSync(
    join(folder, 'nginx.conf'),
    `worker_processes 2;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${temporary}
  server { listen 127.0.0.1:${port}; }
  include ${folder}/enabled/*.conf;
}
`
  )
  writeFileSync(
    join(bin, 'nginx'),
    `#!/bin/sh
mkdir -p '${folder}/enabled'
cp '${folder}'/etc/nginx/conf.d/*.conf '${folder}/enabled'
exec ${NGINX} ${args.map((word) => `'${word}'`).join(' ')} "$@"
`,
    { mode: 0o755 }
  )

  const child = spawn(NGINX as string, [...args, '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'inherit']
  })

  onTestFinished(() => end(child))
  await waitForPort(port)
}

async function end(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')

  child.kill('SIGTERM')
  await exit
}

/** Waits until something listens. */
async function waitForPort(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false
    )

    socket.destroy()
    if (isOpen) return
  }
}
