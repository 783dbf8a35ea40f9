// The pipeline without an application, for a context of one's own; `alula/hooks` has what others may use of it.
import { BaseHookContext, createContextClass, type HookContextClass } from '../../src/hooks/context.ts'
import { type HookMethod, type HookMethodOptions, hookMethod } from '../../src/hooks/method.ts'
import { compilePipeline } from '../../src/hooks/pipeline.ts'
import { type HookInput, HookRegistry, type HookTypeMap } from '../../src/hooks/registry.ts'
import type { Layer, Phase, Pipeline } from '../../src/hooks/types.ts'
import {
  type AroundHook,
  type BaseContext,
  collect,
  compose,
  type Hook,
  type NextFunction
} from '../../src/hooks.ts'
import { expectType } from '../support/expect-type.ts'

interface Job extends BaseContext {
  name: string
  tries?: number
}

// What hooks get is the context that was said.
const before: Hook<Job> = (job) => {
  expectType<Job>().of(job)
  job.tries = 1
}
const around: AroundHook<Job> = async (job, next) => {
  expectType<Job>().of(job)
  expectType<NextFunction>().of(next)
  await next()
}

// @ts-expect-error -- a job has a name, and no title
export const wrongHook: Hook<Job> = (job) => job.title
// @ts-expect-error -- before `next` comes the context
export const wrongAround: AroundHook<Job> = async (next: NextFunction) => next()

// Several become one.
expectType<(context: Job, next?: NextFunction) => Promise<any>>().of(compose([around, around]))
expectType<(context: Job, next: NextFunction) => Promise<any>>().of(collect({ before: [before] }))
compose<Job>([async ({ name }, next) => void (name === 'a' && (await next()))])
collect<Job>({ error: [({ name, error }) => console.error(name, error)] })

// @ts-expect-error -- hooks are a list
compose(around)
// @ts-expect-error -- a hook is a function
compose(['around'])
// @ts-expect-error -- a context has arguments
compose<{ name: string }>([])
// @ts-expect-error -- around hooks are composed, not collected
collect({ around: [around] })

// Layers of them are put around what runs in the middle.
const phase: Phase<Job> = { before: [before], after: [before], error: [before] }
const layer: Layer<Job> = { around: [around], phases: [phase, {}] }
const pipeline: Pipeline<Job> = async (job) => job.name

expectType<Pipeline<Job>>().of(compilePipeline([layer], pipeline))

// @ts-expect-error -- an around hook belongs to a layer
export const wrongPhase: Phase<Job> = { around: [around] }
// @ts-expect-error -- a layer has phases
export const wrongLayer: Layer<Job> = { around: [around] }
// @ts-expect-error -- what runs in the middle is a promise
export const wrongPipeline: Pipeline<Job> = (job) => job.name
// @ts-expect-error -- layers are a list
compilePipeline(layer, pipeline)

// What was registered is asked by type and by method.
const registry = new HookRegistry<Job>()
const input: HookInput<Hook<Job>> = { all: before, run: [before] }
const map: HookTypeMap<Job> = { around: [around], before: input, after: before, error: { run: [before] } }

expectType<HookRegistry<Job>>().of(registry.add(map).add({ before: [({ name }) => name] }))
expectType<Layer<Job>>().of(registry.layer('run'))
expectType<readonly Hook<Job>[]>().of(registry.guards())
compilePipeline([registry.layer('run')], pipeline)

// @ts-expect-error -- there is no such type of hooks
registry.add({ befor: [before] })
// @ts-expect-error -- a job has no title
registry.add({ before: ({ title }) => title })
// @ts-expect-error -- a hook is a function
export const wrongInput: HookInput<Hook<Job>> = { run: 'before' }
// @ts-expect-error -- a hook is a function
export const wrongMap: HookTypeMap<Job> = { before: 'before' }
// @ts-expect-error -- a context has arguments
export type WrongRegistry = HookRegistry<{ name: string }>

// A class of contexts makes that context.
const JobContext = createContextClass<Job>(['name'], { tries: 0 })
const given: HookContextClass = BaseHookContext

expectType<HookContextClass<Job>>().of(JobContext)
expectType<Job>().of(new JobContext({ name: 'a' }))
expectType<HookContextClass>().of(given)
expectType<HookContextClass>().of(createContextClass([], {}))

// @ts-expect-error -- parameters are named in a list
createContextClass<Job>('name', {})
// @ts-expect-error -- a job has no title
new JobContext().title

// A method with hooks around it gives a context of its own, and takes one.
const options: HookMethodOptions<Job> = {
  parameters: ['name'],
  properties: {},
  version: () => registry.version,
  compile: (terminal) => compilePipeline([registry.layer('run')], terminal),
  observer: { start: (job) => expectType<Job>().of(job), finish: ({ name }) => console.log(name) }
}
const run = hookMethod((name: string) => name, options)

expectType<HookMethod<Job>>().of(run)
expectType<Job>().of(run.createContext({ name: 'a' }))
expectType<HookContextClass<Job>>().of(run.Context)
expectType<Promise<any>>().of(run('a', run.createContext()))
expectType<HookMethod>().of({} as HookMethod<BaseContext>)

// @ts-expect-error -- it does not know how to put hooks around
hookMethod((name: string) => name, { parameters: ['name'], properties: {}, version: () => 1 })
// @ts-expect-error -- a job has no title
export const wrongOptions: HookMethodOptions<Job> = { ...options, observer: { finish: ({ title }) => title } }
// @ts-expect-error -- what hooks are put around is a function
hookMethod('run', options)
