import { alula } from '../../src/index.ts'
import { assertOptions, createError, type ManifestLogin, readLogin, readServices } from '../../src/plugin.ts'
import { expectType } from '../support/expect-type.ts'

const options: { limit?: number } | undefined = {} as never

assertOptions('things', options, { limit: [Number.isSafeInteger, 'a whole number'] })
expectType<{ limit?: number }>().of(options)
expectType<ManifestLogin | undefined>().of(readLogin(alula()))
expectType<string | undefined>().of(readServices(alula())[0]?.path)

// @ts-expect-error Errors for developers have a code that is documented.
createError('ALULA_NOTHING', 'Nothing')
