/** Who may call a method. */
export function Who({ who }: { who: string }) {
  return <span class={`who ${toLooks(who)}`}>{who}</span>
}

/** Whether nobody without a login may call it. */
export function needsLogin(who: string): boolean {
  return /^(?:nobody$|user$|owner\(|role\(|hook authenticate\()/.test(who)
}

function toLooks(who: string): string {
  if (who === 'anyone' || who === 'nobody' || who === 'user') return who

  return /^(?:owner|role)\(/.test(who) ? 'some' : 'user'
}
