/** A program that must not compile, the word that one of its messages has to have, and the line of the program that it is about. */
export type WrongProgram = readonly [program: string, word: string, line?: number]

export const RIGHT: readonly string[]
export const WRONG: readonly WrongProgram[]

/**
 * Compiles all programs at once.
 *
 * @param tsc The file of the compiler to run
 * @param folder Where the programs are written; its modules are found from there
 * @param paths The declarations of modules, where they are not installed
 * @returns What is not as it has to be
 */
export function checkPrograms(
  tsc: string,
  folder: string,
  paths?: { readonly [module: string]: readonly string[] }
): Promise<string[]>
