/** Policies: which tool calls of a run are allowed, asked about and denied, by rules as data and as functions. */
export { policy } from './permissions/policy.ts';
export type { Policy } from './permissions/policy-options.ts';
export type { PolicyRule } from './permissions/rule.ts';

// Properties of whole runs, which a policy enforces
export { property } from './properties/property.ts';

// Engines outside, as rules
export { cedar } from './engines/cedar.ts';
export { opa } from './engines/opa.ts';
