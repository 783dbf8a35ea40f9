import type { Choices } from './choices.ts'

/** A change of files whose part cannot know the other choices. */
interface Rule {
  readonly when: (choices: Choices) => boolean
  /** The files that it changes; all when left out. */
  readonly files?: RegExp
  readonly find: RegExp
  readonly replace: string
}

const isExpress = ({ template }: Choices): boolean => template === 'express'

const RULES: readonly Rule[] = [
  // Each database has its own words for an id that it counts.
  {
    when: ({ database }) => database === 'postgresql',
    files: /migrations\//,
    find: /autoIncrement\(\)/g,
    replace: 'generatedByDefaultAsIdentity()'
  },
  {
    when: ({ database }) => database === 'memory',
    files: /(config|vitest\.config)\.[jt]s$/,
    find: /^.*(DATABASE_URL|own database).*\n/gm,
    replace: ''
  },
  {
    when: ({ database }) => database !== 'sqlite',
    files: /^Dockerfile$/,
    find: /^# The folder of the SQLite.*\n.*\n/m,
    replace: ''
  },
  { when: ({ language }) => language === 'javascript', find: /\bdist\/(\w+\.js)/g, replace: 'src/$1' },
  // The server is that of the existing application.
  {
    when: isExpress,
    files: /config\.[jt]s$|^\.env/,
    find: /^ *(HOST|PORT)\b.*\n/gm,
    replace: ''
  },
  // The variable may name the database of that application, where migrations would make the tables of the API.
  { when: isExpress, find: /\bDATABASE_URL\b/g, replace: 'API_DATABASE_URL' },
  {
    when: isExpress,
    files: /^\.env/,
    find: /^# The (?:file of the database|database of compose\.yaml)$/m,
    replace: '# The database of the API'
  },
  {
    when: isExpress,
    files: /^\.env/,
    find: /=app\.db$/m,
    replace: '=api/app.db'
  },
  // Other files of this form belong to that application.
  {
    when: isExpress,
    files: /^tsconfig\.json$/,
    find: /\*\.config\.ts/,
    replace: 'vitest.api.config.mts'
  },
  { when: isExpress, find: /\bsrc\b(?=[/"'])/g, replace: 'api' },
  {
    when: isExpress,
    find: /\bnpm (?:run )?(test|migrate|seed|types)\b/g,
    replace: 'npm run api:$1'
  }
]

/** Files that the template `express` puts elsewhere; an empty name leaves one out. */
const EXPRESS_PATHS: { readonly [path: string]: string } = {
  'AGENTS.md': 'api/AGENTS.md',
  'README.md': 'api/README.md',
  // Modules also in an application of CommonJS.
  'vitest.config.ts': 'vitest.api.config.mts',
  'vitest.config.js': 'vitest.api.config.mjs',
  'tsconfig.json': 'tsconfig.api.json',
  'tsconfig.build.json': '',
  'compose.yaml': '',
  Dockerfile: ''
}

/** Adapts files to the choices, and returns them under their final paths. */
export function adapt(files: ReadonlyMap<string, string>, choices: Choices): Map<string, string> {
  const adapted = [...files].map(([path, content]): [string, string] => {
    const selected = path.endsWith('.md') ? selectParts(content, choices) : content
    const named = selected.replaceAll('my-app', choices.name)

    return [toPath(path, choices), RULES.reduce((text, rule) => apply(rule, path, text, choices), named)]
  })

  return new Map(adapted.filter(([path]) => path !== ''))
}

/** A part of a page for some choices: the lines from `<!-- when sql typescript -->` up to the next such line, or `<!-- end -->`. */
const PART = /^<!-- when ([a-z ]+) -->\n([\s\S]*?)(?=^<!-- )/gm

function selectParts(text: string, { template, database, language }: Choices): string {
  const chosen = [
    template,
    database,
    language,
    ...(database === 'memory' ? [] : ['sql']),
    ...(template === 'express' ? [] : ['server'])
  ]

  return text
    .replace(PART, (_all, names: string, part: string) =>
      names.split(' ').every((name) => chosen.includes(name)) ? part : ''
    )
    .replaceAll('<!-- end -->\n', '')
}

function apply({ when, files, find, replace }: Rule, path: string, text: string, choices: Choices): string {
  return when(choices) && files?.test(path) !== false ? text.replace(find, replace) : text
}

function toPath(path: string, choices: Choices): string {
  return isExpress(choices) ? (EXPRESS_PATHS[path] ?? path.replace(/^src\//, 'api/')) : path
}
