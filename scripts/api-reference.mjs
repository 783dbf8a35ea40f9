// The API reference of the site: a page for each entry of each package, from the docstrings of what it exports.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application, Converter, ReflectionKind } from 'typedoc'

/** The packages whose entries users import, beside the one at the root. */
const PACKAGES = ['packages/alula-testing']

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)))

const typedoc = await Application.bootstrapWithPlugins({
  name: 'API reference',
  entryPoints: listEntries(),
  tsconfig: join(root, 'tsconfig.json'),
  plugin: ['typedoc-plugin-markdown'],
  out: join(root, 'docs/api'),
  readme: 'none',
  cleanOutputDir: true,
  // Types are another check.
  skipErrorChecking: true,
  disableSources: true,
  excludeExternals: true,
  excludePrivate: true,
  treatWarningsAsErrors: true,
  validation: { notExported: false, invalidLink: true, invalidPath: true },
  outputFileStrategy: 'modules',
  entryFileName: 'index',
  useCustomAnchors: true,
  anchorPrefix: 'api-',
  useCodeBlocks: true,
  expandParameters: true,
  groupOrder: ['Functions', 'Classes', 'Variables', 'Interfaces', 'Type Aliases', 'References'],
  hidePageHeader: true,
  hideBreadcrumbs: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table'
})

// What a class inherits is at the class that has it.
typedoc.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
  for (const member of project.getReflectionsByKind(ReflectionKind.All)) {
    if (member.inheritedFrom) project.removeReflection(member)
    member.overwrites = undefined
  }
})

const project = await typedoc.convert()

if (!project || typedoc.logger.hasErrors()) process.exit(1)

typedoc.validate(project)

const names = project.children.flatMap((entry) => {
  entry.name = toSpecifier(entry.name)

  return entry.children.map((name) => ({
    entry: entry.name,
    name: name.name,
    isDocumented: isDocumented(name)
  }))
})

for (const { entry, name, isDocumented } of names) {
  if (!isDocumented) typedoc.logger.error(`'${name}' of '${entry}' has no docstring`)
}

// Otherwise the type `Query` of 'alula' takes the name of the page of 'alula/query'.
project.childrenIncludingDocuments.sort((a, b) => (a.name === 'alula') - (b.name === 'alula'))
await typedoc.generateOutputs(project)
console.log(`${names.length} names in ${project.children.length} entries`)
process.exitCode = typedoc.logger.hasErrors() || typedoc.logger.hasWarnings() ? 1 : 0

function listEntries() {
  return [root, ...PACKAGES.map((folder) => join(root, folder)).filter(existsSync)].flatMap((folder) => {
    const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

    return Object.values(exports)
      .filter((entry) => entry.types)
      .map(({ types }) => join(folder, types.replace('dist/', 'src/').replace('.d.ts', '.ts')))
  })
}

/** What users import, by the path of the module of an entry. */
function toSpecifier(path) {
  const [, folder = 'alula', module] = /^(?:packages\/([^/]+)\/)?(.*)$/.exec(path)
  const entry = module.replace(/^src(?:\/|$)/, '')

  return entry === '' || entry === 'index' ? folder : `${folder}/${entry}`
}

/** What is exported again is documented where it is declared. */
function isDocumented(reflection) {
  if (reflection.isReference()) return true

  const { signatures = [], type } = reflection
  const callable = type?.type === 'reflection' ? (type.declaration.signatures ?? []) : []

  return [reflection, ...signatures, ...callable].some(({ comment }) => comment?.summary.length > 0)
}
