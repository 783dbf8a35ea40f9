import { type Choices, DATABASES, TEMPLATES } from './choices.ts'

/** Says what was chosen. */
export function renderChoices({ name, template, database, language }: Choices): string {
  return `name       ${name}
template   ${template} – ${TEMPLATES[template]}
database   ${DATABASES[database]}
language   ${language === 'javascript' ? 'JavaScript' : 'TypeScript'}
`
}

/** Says which packages were left as they are, but may be too old. */
export function renderOldPackages(lines: readonly string[]): string {
  return `package.json keeps packages that may be too old. Update them if the API fails:

${lines.map((line) => `  ${line}`).join('\n')}
`
}

/** Says what was made, what to run, and where the page is. */
export function renderNextSteps(
  choices: Choices,
  { written, isInstalled }: { readonly written: readonly string[]; readonly isInstalled: boolean }
): string {
  const steps =
    choices.template === 'express' ? listExpressSteps(choices, isInstalled) : listSteps(choices, isInstalled)

  return `
Made ${written.length} files${choices.template === 'express' ? '' : ` in ${choices.name}`}. Next:

${steps.map((step) => (step === '' ? '' : `  ${step}`)).join('\n')}
`
}

function listSteps({ name, template, database }: Choices, isInstalled: boolean): string[] {
  const isReady = isInstalled && database === 'sqlite'

  return [
    `cd ${name}`,
    ...(isInstalled ? [] : ['npm install']),
    ...(database === 'postgresql' ? ['docker compose up --detach database'] : []),
    ...(database === 'memory' || isReady ? [] : ['npm run migrate', 'npm run seed']),
    'npm run dev',
    '',
    ...(template === 'react' ? ['The page of the application:  http://localhost:5173'] : []),
    'The page of the API:          http://localhost:3030/api/docs',
    'Log in as:                    ada@example.com / correct horse'
  ]
}

function listExpressSteps({ database, language }: Choices, isInstalled: boolean): string[] {
  const extension = language === 'javascript' ? 'js' : 'ts'
  const isReady = database === 'memory' || (isInstalled && database === 'sqlite')
  const commands = [
    ...(isInstalled ? [] : ['npm install']),
    ...(isReady ? [] : ['npm run api:migrate', 'npm run api:seed'])
  ]
  const before = database === 'postgresql' ? 'Set API_DATABASE_URL in .env, then' : 'Run'

  return [
    'Add to the file that makes the Express application, before express.json():',
    '',
    `  import { mountApi } from './api/mount.${extension}'`,
    '  await mountApi(app)',
    '',
    `In CommonJS: const { mountApi } = require('./api/mount.${extension}'), and listen in mountApi(app).then(…)`,
    '',
    ...(commands.length > 0 ? [`${before}: ${commands.join(' && ')}`, ''] : []),
    'Start the application. The page of the API is below its address: /api/docs',
    'Log in as: ada@example.com / correct horse'
  ]
}
