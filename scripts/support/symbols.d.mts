import type ts from 'typescript'

export interface FoundSymbol {
  readonly file: string
  readonly name: string
  readonly isMark: boolean
  readonly isFeathers: boolean
}

export declare function findSymbols(sources: readonly ts.SourceFile[]): FoundSymbol[]
