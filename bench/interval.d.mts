export declare function toMedianInterval(
  values: readonly number[],
  confidence?: number
): readonly [low: number, high: number]
