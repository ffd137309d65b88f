import type { Property } from '../../contracts/properties/property.ts';
import type { SafetyStrategy } from '../../contracts/tools/safety.ts';
import type { FileChecks } from './file-checks.ts';
import type { PolicyRule, RuleFunction } from './rule.ts';

/** The modes, by what they do with a call about which no rule asks, and that none denies. */
export const modes = ['plan', 'default', 'accept_edits', 'bypass', 'team_lead_approval_required'] as const;

/** Options of {@link policy}. */
export interface PolicyOptions {
  /**
   * `plan`: what is not `read` is denied. `default`: what is not `read` and that no rule allows is asked about. `accept_edits`: as that, and changes
   * of files are made. `bypass`: all is allowed that no rule asks about or denies. `team_lead_approval_required`: what is not `read` is approved
   * by a person with the role that `lead` names. Default `default`.
   */
  readonly mode?: (typeof modes)[number] | undefined;
  /** The role of those who approve in the mode `team_lead_approval_required`. Default `team_lead`. */
  readonly lead?: string | undefined;
  /** Rules as data and as functions. Default: none. */
  readonly rules?: readonly (PolicyRule | RuleFunction)[] | undefined;
  /**
   * Properties of the whole run, over all of its agents, made by `property`. A call of a tool that would violate one is denied as it starts, by the
   * property's name, and the agent goes on; a model that may not be asked ends its agent with `guardrail.blocked`. Default: none.
   */
  readonly properties?: readonly Property[] | undefined;
  /** Checks of tools that change files. Default: none. */
  readonly files?: FileChecks | undefined;
  /** Calls that no rule, check or mode decides, also of tools that only read: `deny` makes the rules a list of all that is allowed. Default: as `mode` says. */
  readonly otherwise?: 'deny' | undefined;
}

/** A policy: a safety strategy for a run or an engine, that is data unless functions are among its rules. */
export interface Policy extends SafetyStrategy {
  readonly mode: NonNullable<PolicyOptions['mode']>;
  readonly rules: readonly (PolicyRule | RuleFunction)[];
  readonly properties: readonly Property[];
  /** The options that {@link policy} makes an equal one of. @throws {TroupeError} `policy.invalid` if a rule is a function, or there are properties. */
  toJSON(): PolicyOptions;
}
