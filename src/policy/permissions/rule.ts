import type { Json } from '../../base/json/json.ts';
import type { ApprovalTerms } from '../../contracts/people/approval-terms.ts';
import type { Safety } from '../../contracts/tools/tool.ts';
import type { SafetyStrategy, SafetyVerdict } from '../../contracts/tools/safety.ts';
import type { OneOrMore } from './glob.ts';

/** A test of one argument: a glob, which must match all of its text, or one of these. */
export type ArgumentTest =
  | string
  | { readonly in: readonly Json[] }
  | { readonly from?: number | undefined; readonly to?: number | undefined };

/** Times at which a rule holds, by the recorded time of the call. */
export interface Between {
  /** Time of day, `HH:MM`, inclusive. One after `to` is that of the evening before. Default `00:00`. */
  readonly from?: string | undefined;
  /** Time of day, exclusive. Default `24:00`. */
  readonly to?: string | undefined;
  /** Days of the week of the call: `mon` … `sun`. Default: all. */
  readonly days?: readonly string[] | undefined;
  /** First day, `YYYY-MM-DD`. */
  readonly since?: string | undefined;
  /** Last day, inclusive. */
  readonly until?: string | undefined;
  /** IANA time zone. Default `UTC`. */
  readonly zone?: string | undefined;
}

/**
 * A rule about tool calls, as plain data. It matches a call for which all of its conditions hold; without any it matches every call.
 *
 * Texts are globs, of which one must match the whole: `*` stands for any characters, `?` for one; in `path`, `*` stays within a part
 * and `**` stands for any number of parts. Rules that ask or deny hold for all below the agents that they name, too; one that allows is for
 * those agents alone. Of an argument that is a list, one item is enough to ask or deny, and all are needed to allow.
 *
 * @example
 * const rule: PolicyRule = {
 *   name: 'large-payments', effect: 'ask', tool: 'pay', input: { 'order.amount': { from: 1_000 } },
 *   by: 'lead', approvals: 2, expireAfterMs: 3_600_000, reason: 'more than 1,000',
 * };
 */
export interface PolicyRule extends Omit<ApprovalTerms, 'rule' | 'also'> {
  /** For the record; unique within its policy. */
  readonly name: string;
  readonly effect: 'allow' | 'ask' | 'deny';
  /** Names of tools, with that of their toolset: `files.*`. */
  readonly tool?: OneOrMore<string> | undefined;
  /** Names of agents and teams. */
  readonly agent?: OneOrMore<string> | undefined;
  /** Roles of members in their team: `researcher` is each of its researchers. */
  readonly role?: OneOrMore<string> | undefined;
  /** Addresses of agents: `desk/**`. */
  readonly path?: OneOrMore<string> | undefined;
  /** The tool's own declaration. */
  readonly safety?: OneOrMore<Safety> | undefined;
  /** Tags of the tool, of which one must match. */
  readonly tags?: OneOrMore<string> | undefined;
  /** Arguments by name, `order.amount` for one within another; as the model gave them. */
  readonly input?: Readonly<Record<string, ArgumentTest>> | undefined;
  /** Names of environments; an agent without one matches none. */
  readonly environment?: OneOrMore<string> | undefined;
  /**
   * Origins of what the agent has read: names of tools, `memory`, `observation`, and those that callers name. A rule that asks or denies
   * follows them through messages, answers, tasks, threads and memories; one that allows is for results of the agent's own calls alone.
   */
  readonly after?: OneOrMore<string> | undefined;
  readonly between?: Between | undefined;
}

/** A rule as a function, named by its own name on record: a verdict, or undefined where it has none. */
export type RuleFunction = (
  ...given: Parameters<SafetyStrategy>
) => SafetyVerdict | undefined | Promise<SafetyVerdict | undefined>;

/** The conditions of a rule. */
export const conditions = [
  'tool',
  'agent',
  'role',
  'path',
  'safety',
  'tags',
  'input',
  'environment',
  'after',
  'between',
] as const satisfies readonly (keyof PolicyRule)[];
