import type ts from 'typescript'

export interface ModuleState {
  readonly file: string
  readonly name: string
}

export declare function findModuleState(sources: readonly ts.SourceFile[]): ModuleState[]
