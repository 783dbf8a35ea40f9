import type { HookContext, NextFunction } from './declarations.ts'

export const logError = async (context: HookContext, next: NextFunction) => {
  try {
    await next()
  } catch (error: any) {
    console.error(error.stack, context.path, error.data)

    throw error
  }
}
