export { type AccessRules, access } from './access/access.ts'
export { type ClosedOptions, closed } from './access/closed.ts'
export { type AccessRule, anyone, fresh, owner, type RoleOptions, role, user } from './access/rules.ts'
export { type ExposureRow, exposure } from './manifest/exposure.ts'
