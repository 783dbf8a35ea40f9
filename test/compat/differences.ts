import { expect } from 'vitest'

/** By the anchor of a row of docs/compatibility.md, which says what differs and why: the cases that show it. */
export interface Differences {
  readonly [row: string]: { readonly [name: string]: readonly [feathers: string, alula: string] }
}

/**
 * Expects that a case has the same outcome in Feathers v5 and in alula, or the two that are listed for it.
 *
 * @param outcomes That of Feathers, and that of alula
 * @param summarize What is listed of an outcome
 */
export function expectOutcomes(
  differences: Differences,
  name: string,
  [feathers, alula]: readonly unknown[],
  summarize: (outcome: any) => string
): void {
  const listed = Object.values(differences).find((cases) => Object.hasOwn(cases, name))?.[name]

  if (listed) {
    expect([summarize(feathers), summarize(alula)]).toEqual(listed)
    expect(alula).not.toEqual(feathers)
  } else {
    expect(alula).toEqual(feathers)
  }
}

/** Expects that the name of each case is its own, and that each difference is listed once, for a case that is there. */
export function expectCases(differences: Differences, names: readonly string[]): void {
  const listed = Object.values(differences).flatMap((cases) => Object.keys(cases))

  expect(new Set(names).size).toBe(names.length)
  expect(new Set(listed).size).toBe(listed.length)
  expect(listed.filter((name) => !names.includes(name))).toEqual([])
}
