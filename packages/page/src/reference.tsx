import type { FormField } from '../../../src/openapi/form-fields.ts'
import type { PageService } from '../../../src/openapi/page-data.ts'

/** What the methods of a service return, and what is in it. */
export function Reference({ service: { methods, fields } }: { service: PageService }) {
  return (
    <div class="form">
      <dl>
        {methods.map(({ name, returns }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{returns}</dd>
          </div>
        ))}
      </dl>
      {fields ? (
        <Fields name="The record" fields={fields} />
      ) : (
        <p class="hint">The service declares no schema, so its records may have any field.</p>
      )}
      {methods.map(
        ({ name, result }) => result && <Fields key={name} name={`The result of ${name}`} fields={result} />
      )}
    </div>
  )
}

function Fields({ name, fields }: { name: string; fields: readonly FormField[] }) {
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      <dl>
        {fields.map(({ path, names, words, isRequired, description }) => (
          <div key={path}>
            <dt>{names.join('.')}</dt>
            <dd>
              {words}
              {!isRequired && <span class="hint">, optional</span>}
              {description && <p class="hint">{description}</p>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
