/** The callers that a method is for. */
export function Caller({ caller }: { caller: string }) {
  return <span class={`caller ${toLooks(caller)}`}>{caller}</span>
}

/** Whether nobody without a login is among them. */
export function needsLogin(caller: string): boolean {
  return /^(?:nobody$|user$|owner\(|role\(|fresh\(|hook authenticate\()/.test(caller)
}

function toLooks(caller: string): string {
  if (caller === 'anyone' || caller === 'nobody' || caller === 'user') return caller

  return /^(?:owner|role)\(/.test(caller) ? 'some' : 'user'
}
