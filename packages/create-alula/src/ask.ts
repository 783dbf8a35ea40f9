import { cancel, intro, isCancel, select, text } from '@clack/prompts'
import { type Choices, DATABASES, findNameFault, TEMPLATES, toDefaultName, toName } from './choices.ts'

/** Asks what to make, without the name if it is `given`; `undefined` when the questions were left. */
export async function ask(given: string | undefined): Promise<Choices | undefined> {
  if (given !== undefined) toName(given)
  intro('alula')

  const template = await select({ message: 'Template', options: toOptions(TEMPLATES) })

  if (isCancel(template)) return leave()

  const defaultValue = toDefaultName(template, process.cwd())
  const name =
    given ??
    (await text({
      message: 'Name',
      defaultValue,
      placeholder: defaultValue,
      validate: (value) => (value ? findNameFault(value) : undefined)
    }))

  if (isCancel(name)) return leave()

  const database = await select({ message: 'Database', options: toOptions(DATABASES) })

  if (isCancel(database)) return leave()

  return { name, template, database, language: 'typescript' }
}

function toOptions<Key extends string>(table: { readonly [key in Key]: string }) {
  return (Object.keys(table) as Key[]).map((value) => ({ value, label: value as string, hint: table[value] }))
}

function leave(): undefined {
  cancel('Nothing was made.')
}
