// Makes docs/error-codes.md from the comments in src/utils/error-codes.ts. With --check it writes nothing, and fails when
// the page is not what the source makes.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'

const ROOT = resolve(import.meta.dirname, '..')
const SOURCE = 'src/utils/error-codes.ts'
const TARGET = 'docs/error-codes.md'

const KINDS = new Map([
  ['error', 'Error'],
  ['warning', 'Warning'],
  ['error,warning', 'Error or warning']
])

const page = toPage(readCodes(readFileSync(resolve(ROOT, SOURCE), 'utf8')))

if (!process.argv.includes('--check')) {
  writeFileSync(resolve(ROOT, TARGET), page)
} else if (page !== readFileSync(resolve(ROOT, TARGET), 'utf8')) {
  console.error(`${TARGET} is not what ${SOURCE} makes: run npm run generate`)
  process.exit(1)
}

/** The members of the interface `Codes`, in the order of the alphabet. */
function readCodes(source) {
  const { statements } = ts.createSourceFile(SOURCE, source, ts.ScriptTarget.Latest, true)
  const { members } = statements.find((statement) => statement.name?.text === 'Codes')

  return members.map(toCode).sort((a, b) => (a.name < b.name ? -1 : 1))
}

function toCode(member) {
  const { text: name } = member.name
  const [{ comment: cause, tags = [] } = {}] = ts
    .getJSDocCommentsAndTags(member)
    .filter((part) => ts.isJSDoc(part))
  const fix = tags.find(({ tagName }) => tagName.text === 'fix')?.comment

  if (!cause || !fix) throw new Error(`${name} needs a cause, and a fix after @fix`)

  return {
    name,
    kind: KINDS.get(member.type.getText().replaceAll(/[' ]/g, '').split('|').join()),
    cause,
    fix
  }
}

function toPage(codes) {
  const sections = codes.map(
    ({ name, kind, cause, fix }) => `## ${name}\n\n*${kind}.* ${cause}\n\n**Fix:** ${fix}\n`
  )

  return `# Error codes

An error that only a developer can cause has a \`code\`, which also ends its message:

\`\`\`
Error: Can not find service 'mesages'. Did you mean 'messages'? (ALULA_UNKNOWN_SERVICE)
\`\`\`

Warnings of the process have a code as well: \`process.on('warning', ({ code, message }) => …)\`. A code keeps its name and
meaning; messages may change. Errors that clients cause are [Feathers errors](errors.md), with an HTTP status as their \`code\`.

${sections.join('\n')}`
}
