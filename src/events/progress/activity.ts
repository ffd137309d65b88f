import type { EventOf, LiveEvent } from '../../contracts/events/event.ts';
import type { DropReason } from '../../contracts/messages/message.ts';
import { withoutUndefined } from '../../base/json/without-undefined.ts';
import { oneLine } from '../../base/text/printable.ts';

/** An activity in a run, described for people; safe to print. */
export interface Activity {
  /** ms since 1970. */
  readonly at: number;
  readonly path: string;
  /** The last part of the path: `researcher-1`. */
  readonly name: string;
  readonly phase?: string | undefined;
  /** `Reading config.json`; the tool's own description if it has one. */
  readonly text: string;
  /** `researcher-1 · ACT · Reading config.json` */
  readonly line: string;
}

/**
 * Describes an event for people; undefined if it is of no interest. Pure.
 *
 * Deltas, phase changes and successful tools have no description: the work in them does.
 *
 * @example
 * handle.events$.subscribe((event) => { const activity = activityOf(event); if (activity) console.log(activity.line); });
 */
export const activityOf = (event: LiveEvent): Activity | undefined => {
  const said = wordsOf(event.type, event);
  if (said === undefined) return undefined;
  const name = nameOf(event.path);
  const entered = 'phase' in event ? event.phase : undefined;
  const phase = entered && oneLine(entered, 40);
  const text = oneLine(said);
  const { at, path } = event;
  return withoutUndefined({ at, path, name, phase, text, line: joinParts(name, phase, text) });
};

/** Parts of a line, without those that are missing or empty. */
export const joinParts = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => (part ?? '') !== '').join(' · ');

/** The last part of a path, safe to print: `desk/researcher-1` is `researcher-1`. */
export const nameOf = (path: string): string => oneLine(path.slice(path.lastIndexOf('/') + 1), 60);

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

type ByType = { readonly [Event in LiveEvent as Event['type']]: Event };

/** Describes the events that are of interest, by their type. */
const WORDS: { readonly [Type in keyof ByType]?: (event: ByType[Type]) => string | undefined } = {
  'run.started': ({ model, isLanguageModel }) => {
    if (model === undefined) return 'Started';
    return `Started with ${model}${isLanguageModel === false ? ', which is not a language model' : ''}`;
  },
  'run.paused': () => 'Paused',
  'run.resumed': () => 'Resumed',
  'run.ended': (event) => endWords(event),
  'agent.prepared': ({ problems }) =>
    problems.length === 0 ? undefined : `Cannot start: ${problems.map(({ message }) => message).join('; ')}`,
  'agent.decided': ({ decision }) => (decision.kind === 'answer' ? 'Answering' : undefined),
  'agent.critiqued': ({ verdict, note = '' }) =>
    verdict === 'accept'
      ? 'Accepted'
      : `${verdict === 'revise' ? 'To be revised' : 'Stopped by a critic'}: ${note}`,
  'agent.waiting': ({ reason }) => `Waiting${reason === undefined ? '' : ` for ${reason}`}`,
  'recovery.decided': ({ decision, error }) => `${RECOVERIES[decision]}: ${error.message}`,
  'critic.failed': ({ critic, error }) => failed(`The critic ${critic}`, error),

  'model.asked': () => 'Thinking',
  'model.answered': ({ model, omitted, providerCalls }) =>
    omitted === undefined
      ? providerCalls?.map(({ tool }) => `Ran ${tool}`).join(', ')
      : `Asked ${model} without ${namedReasons(omitted)}`,
  'model.retrying': ({ model, waitMs, error }) =>
    `Asking ${model} again in ${seconds(waitMs)}: ${error.message}`,
  'model.discarded': () => 'Discarding an answer that broke off',
  'model.interrupted': () => 'Continuing an answer that broke off',
  'model.failed': ({ model, error }) => failed(model, error),
  'model.fell-back': ({ to, from, error }) => `Asking ${to} in place of ${from}: ${error.message}`,
  'model.swapped': ({ to }) => `Now with ${to}`,
  'text.spilled': ({ artifact }) => `Stored a long text: ${artifact}`,
  'session.lost': ({ strategy, reason }) => `Restarting with ${strategy}: ${reason}`,
  'context.compacted': ({ before, after }) => `Compacted the conversation from ${before} to ${after} tokens`,
  'context.summary-failed': ({ error }) => `Cannot summarise: ${error.message}`,
  'memory.failed': ({ memory, error }) => failed(`The memory ${memory}`, error),

  'tool.approval-requested': (event) =>
    `Waiting for a yes${byRule(event)}: ${event.description || event.tool}`,
  'tool.approval-given': ({ by, tool }) => `Approved by ${by.name}, who is not enough: ${tool}`,
  'tool.ambiguous': ({ description, tool }) => `May have been done before: ${description || tool}`,
  'tool.denied': (event) =>
    `Denied${byRule(event)}: ${event.tool}${event.reason === undefined ? '' : `, ${event.reason}`}`,
  'tool.started': ({ description, tool }) => description || `Using ${tool}`,
  'tool.progressed': ({ text }) => text,
  'tool.retrying': ({ tool, waitMs, error }) => `Retrying ${tool} in ${seconds(waitMs)}: ${error.message}`,
  'tool.finished': ({ ok, tool, error, text }) => (ok ? undefined : failed(tool, error ?? { message: text })),
  'tool.deprecated': ({ tool, reason }) => `${tool} is deprecated: ${reason}`,
  'toolset.opened': ({ toolset, tools, refused = {} }) => {
    const out = namedReasons(refused);
    return `Opened ${toolset}: ${listNames(Object.keys(tools))}${out === '' ? '' : `, without ${out}`}`;
  },
  'toolset.failed': ({ toolset, error }) => `The tools of ${toolset} are missing: ${error.message}`,

  'person.asked': ({ question }) => `Asking: ${question}`,
  'person.answered': ({ text }) => `Answered: ${text}`,
  'request.withdrawn': ({ reason }) => `Withdrawn: ${reason}`,
  'answer.refused': ({ reason }) => `Answer refused: ${reason}`,
  'message.sent': ({ from, to, text }) => `${from} to ${to}: ${text}`,
  'message.dropped': ({ from, to, reason, count = 1 }) =>
    `${count === 1 ? 'A message' : `${count} messages`} of ${from} to ${to} reached nobody: ${DROPPED[reason]}`,

  'member.engaged': ({ member }) => `Engaged ${member}`,
  'member.refused': ({ member, reason }) => `Did not engage ${member}: ${reason}`,
  'member.ended': (event) =>
    event.status === 'failed' ? endWords(event) : `${event.member} ended: ${event.status}`,
  'delegation.began': ({ to, id }) => `Delegated to ${to} (${id})`,
  'delegation.returned': ({ to, id, status }) => `${to} returned (${id}): ${status}`,
  'team.planned': ({ assignments }) =>
    `Planned ${assignments.map(({ member, task }) => `${member}: ${task}`).join('; ')}`,
  'team.noted': ({ text }) => text,
  'task.handed-over': ({ from, to, message }) =>
    `${from} hands over to ${to}${message === undefined ? '' : `: ${message}`}`,
  'handoff.refused': ({ from, to, reason }) => `${from} may not hand over to ${to}: ${reason}`,
  'route.chosen': ({ member, strategy }) => `Gives it to ${member} (${strategy})`,
  'route.degraded': ({ reason }) => `Cannot choose as it should: ${reason}`,
  'route.changed': ({ from, to, reason }) => `Goes on from ${from} to ${to}: ${reason}`,
  'bid.made': ({ member, cost }) => `${member} would do it for ${cost}`,
  'contract.awarded': ({ member, cost }) => `${member} gets the work for ${cost}`,
  'insight.shared': ({ member, content }) => `${member} notes: ${content}`,
  'stage.failed': ({ member, message }) => `Continuing without ${member}: ${message}`,
  'work.refused': ({ task, reason }) => `Nobody does '${task}': ${reason}`,
  'work.reassigned': ({ from, to, reason }) =>
    `${to} does it ${from === to ? 'again' : `in place of ${from}`}: ${reason}`,
  'work.reviewed': ({ accepted, member, reason }) => {
    const work = `the work of ${member}`;
    if (accepted === true) return `Accepted ${work}`;
    return `${accepted === null ? 'Nobody reviewed' : 'Sent back'} ${work}: ${reason}`;
  },

  'observer.failed': ({ observer, error }) => failed(`The observer ${observer}`, error),
  'observer.dropped': ({ observer, count }) => `The observer ${observer} missed ${count} events`,
  'loop.warned': ({ period, repeats, tools }) =>
    `Going round in circles: ${tools.join(', ') || 'the same'}, ${repeats} times${period === 1 ? '' : ` over ${period} steps`}`,
  'limit.neared': ({ stage, used, rule }) =>
    `${stage === 'warned' ? 'Near the limit' : 'Wrapping up'}: ${percent(used)} of ${rule} used`,
  'budget.warned': ({ fraction, budget, used, limit }) =>
    `${percent(fraction)} of the budget used: ${BUDGETS[budget](used, limit)}`,
};

const wordsOf = <Type extends keyof ByType>(type: Type, event: ByType[Type]): string | undefined =>
  WORDS[type]?.(event);

const RECOVERIES = {
  retry: 'Retrying',
  skip: 'Skipping',
  replace: 'Replacing',
  giveUp: 'Giving up',
} as const;

const endWords = ({ status, stopReason, error }: EventOf<'run.ended' | 'member.ended'>): string =>
  ({
    completed: 'Completed',
    stopped: `Stopped: ${stopReason.kind}`,
    aborted: 'Aborted',
    failed: `Failed: ${error?.message ?? stopReason.kind}`,
  })[status];

const failed = (what: string, { message }: { readonly message: string }): string =>
  `${what} failed: ${message}`;

const namedReasons = (reasons: Readonly<Record<string, string>>): string =>
  Object.entries(reasons)
    .map(([name, reason]) => `${name} (${reason})`)
    .join(', ');

const byRule = ({ rule }: { readonly rule?: string | undefined }): string =>
  rule === undefined ? '' : ` (${rule})`;

/** Names that a line shows: the others are counted. */
const MAX_NAMES = 5;

const listNames = (names: readonly string[]): string => {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(', ') || 'nothing'}${more > 0 ? ` and ${more} more` : ''}`;
};

const percent = (fraction: number): string => `${Math.round(fraction * 100)} %`;

/** A number with separators, independent of the locale. */
export const amount = (number: number): string => number.toLocaleString('en', { maximumFractionDigits: 4 });

const counted =
  (what: string) =>
  (used: number, limit: number): string =>
    `${amount(used)} of ${amount(limit)} ${what}`;

const BUDGETS = {
  steps: counted('steps'),
  tokens: counted('tokens'),
  toolCalls: counted('tool calls'),
  usd: (used: number, limit: number) => `$${amount(used)} of $${amount(limit)}`,
  timeMs: (used: number, limit: number) => `${seconds(used)} of ${seconds(limit)}`,
} as const;

const DROPPED: Readonly<Record<DropReason, string>> = {
  nobody: 'nobody is there',
  full: 'the mailbox is full',
  expired: 'it waited too long',
  unread: 'its receiver ended first',
  quarantined: 'its receiver kept failing',
  escalated: 'its team failed',
  hops: 'the chain is too long',
  'ping-pong': 'they exchanged too many',
  direction: 'it may not go that way',
  deadlock: 'each would wait for the other',
};
