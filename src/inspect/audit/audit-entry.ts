import * as z from 'zod';
import { canonical } from '../../base/json/canonical.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { platformSha256 } from '../../base/platform-sha256.ts';
import { schemaOnDemand } from '../../base/schemas/schema-on-demand.ts';

/** Every kind of entry. */
export const auditActions = [
  'run.start',
  'run.end',
  'run.pause',
  'run.continue',
  /** Another process, or the same one later, resumed the run from its journal. */
  'run.resume',
  'run.abort',
  'member.end',
  'budget.warn',
  'budget.end',
  'tool.start',
  'tool.end',
  'permission.ask',
  /** One of several people who have to approve did. */
  'permission.approve',
  'permission.grant',
  'permission.deny',
  'question.ask',
  'question.answer',
  'request.withdraw',
  'answer.refuse',
  'message.receive',
  /** A guard of `guardrails()` blocked, changed or stopped a text. */
  'guard.act',
  /** Content was erased: its entries stay. */
  'audit.erase',
  /** A line that was cut off stands before this entry. */
  'audit.repair',
  /** Entries could not be written. */
  'audit.miss',
] as const;

/** See {@link auditActions}. */
export type AuditAction = (typeof auditActions)[number];

export const auditOutcomes = ['success', 'failure', 'denied'] as const;

/**
 * One entry of an audit log: an action, its agent, and its outcome.
 *
 * Entries are chained: `hash` is the SHA-256 of `prev` and of everything else that was written. Texts and persons are written apart, and only
 * their `digest` is in the chain, so that they can be erased.
 */
export interface AuditEntry {
  /** From 0, without gaps, over its chain. */
  readonly seq: number;
  /** By the run's clock, ms since 1970. */
  readonly at: number;
  /** Empty for an entry about a file with several runs. */
  readonly runId: string;
  /** Address of the agent; empty for an entry about the log itself. */
  readonly path: string;
  readonly agent: string;
  /** The number of the run's event that it was made of. */
  readonly event?: number | undefined;
  readonly action: AuditAction;
  readonly tool?: string | undefined;
  readonly outcome: (typeof auditOutcomes)[number];
  /** The rule that decided, or under which a person did; of a call, until its end. `details.alsoRules` names further ones. */
  readonly rule?: string | undefined;
  /** Facts about nobody: numbers, codes, ids; times in ms. */
  readonly details: JsonObject;
  /** SHA-256 of `person`, `onBehalfOf` and `content`, which may be erased; absent where there is nothing of the kind. */
  readonly digest?: string | undefined;
  readonly prev: string;
  readonly hash: string;
  /** The person who answered, where it is known. */
  readonly person?: string | undefined;
  readonly onBehalfOf?: string | undefined;
  /** Texts: inputs, results, questions, answers, reasons. Secrets are redacted; a text of more than 100,000 characters is cut. */
  readonly content?: JsonObject | undefined;
}

/** The part of an entry that is kept apart from the chain. */
export type AuditContent = Pick<AuditEntry, 'person' | 'onBehalfOf' | 'content'>;

/** An entry as the chain has it. */
export type ChainedEntry = Omit<AuditEntry, keyof AuditContent>;

const chainedSchema = schemaOnDemand(() => {
  const text = z.string();
  const count = z.number().int().nonnegative();
  return z.strictObject({
    seq: count,
    at: z.number(),
    runId: text,
    path: text,
    agent: text,
    event: count.optional(),
    action: z.enum(auditActions),
    tool: text.optional(),
    outcome: z.enum(auditOutcomes),
    rule: text.optional(),
    details: z.custom<JsonObject>(isJsonObject),
    digest: text.optional(),
    prev: text,
    hash: text,
  });
});

/** Parses a line of a chain; undefined for what is no entry. */
export const parseEntry = (line: string): ChainedEntry | undefined => {
  try {
    return chainedSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
};

/** The line of an entry, without its line feed: an entry has one form. */
export const lineOf = ({ prev, hash, ...rest }: ChainedEntry): string =>
  `{${canonical(toJson(rest)).slice(1, -1)},"prev":${JSON.stringify(prev)},"hash":${JSON.stringify(hash)}}`;

/** An entry without what is kept apart. */
export const withoutContent = (entry: AuditEntry): ChainedEntry => {
  const { person: _person, onBehalfOf: _onBehalfOf, content: _content, ...rest } = entry;
  return rest;
};

/** The hash of an entry: of the one before it, and of its own facts. */
export const hashOf = (prev: string, facts: Omit<ChainedEntry, 'prev' | 'hash'>): string =>
  platformSha256(prev + canonical(toJson(facts)));

/** The digest of what is kept apart. */
export const digestOf = ({ person, onBehalfOf, content }: AuditContent): string =>
  platformSha256(canonical(toJson({ person, onBehalfOf, content })));

/** The content in a value that was read or redacted; what is of another form is left out. */
export const contentIn = (value: unknown): AuditContent => {
  if (!isJsonObject(value)) return {};
  const { person, onBehalfOf, content } = value;
  return {
    ...(typeof person === 'string' ? { person } : {}),
    ...(typeof onBehalfOf === 'string' ? { onBehalfOf } : {}),
    ...(isJsonObject(content) ? { content } : {}),
  };
};
