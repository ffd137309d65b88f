import type { EventOf, LiveEvent } from '../../contracts/events/event.ts';
import type { DropReason } from '../../contracts/messages/message.ts';
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
  const said = wordsOf(event);
  if (said === undefined) return undefined;
  const name = nameOf(event.path);
  const phase = 'phase' in event && event.phase !== undefined ? oneLine(event.phase, 40) : undefined;
  const text = oneLine(said);
  const line = [name, phase, text].filter((part) => part !== undefined && part !== '').join(' · ');
  return { at: event.at, path: event.path, name, ...(phase === undefined ? {} : { phase }), text, line };
};

/** The last part of a path, safe to print: `desk/researcher-1` is `researcher-1`. */
export const nameOf = (path: string): string => oneLine(path.slice(path.lastIndexOf('/') + 1), 60);

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

const wordsOf = (event: LiveEvent): string | undefined => {
  switch (event.type) {
    case 'run.started':
      if (event.model === undefined) return 'Started';
      return `Started with ${event.model}${event.isLanguageModel === false ? ', which is not a language model' : ''}`;
    case 'run.paused':
      return 'Paused';
    case 'run.resumed':
      return 'Resumed';
    case 'run.ended':
      return endWords(event);
    case 'agent.prepared':
      return event.problems.length === 0
        ? undefined
        : `Cannot start: ${event.problems.map(({ message }) => message).join('; ')}`;
    case 'agent.decided':
      return event.decision.kind === 'answer' ? 'Answering' : undefined;
    case 'agent.critiqued':
      if (event.verdict === 'accept') return 'Accepted';
      return `${event.verdict === 'revise' ? 'To be revised' : 'Stopped by a critic'}: ${event.note ?? ''}`;
    case 'agent.waiting':
      return `Waiting${event.reason === undefined ? '' : ` for ${event.reason}`}`;
    case 'recovery.decided':
      return `${RECOVERIES[event.decision]}: ${event.error.message}`;
    case 'critic.failed':
      return `The critic ${event.critic} failed: ${event.error.message}`;
    default:
      return modelWords(event);
  }
};

const RECOVERIES = {
  retry: 'Retrying',
  skip: 'Skipping',
  replace: 'Replacing',
  giveUp: 'Giving up',
} as const;

const endWords = ({ status, stopReason, error }: EventOf<'run.ended' | 'member.ended'>): string => {
  switch (status) {
    case 'completed':
      return 'Completed';
    case 'stopped':
      return `Stopped: ${stopReason.kind}`;
    case 'aborted':
      return 'Aborted';
    case 'failed':
      return `Failed: ${error?.message ?? stopReason.kind}`;
  }
};

const modelWords = (event: LiveEvent): string | undefined => {
  switch (event.type) {
    case 'model.asked':
      return 'Thinking';
    case 'model.answered':
      return event.omitted === undefined
        ? event.providerCalls?.map(({ tool }) => `Ran ${tool}`).join(', ')
        : omittedWords(event.model, event.omitted);
    case 'model.retrying':
      return `Asking ${event.model} again in ${seconds(event.waitMs)}: ${event.error.message}`;
    case 'model.discarded':
      return 'Discarding an answer that broke off';
    case 'model.interrupted':
      return 'Continuing an answer that broke off';
    case 'model.failed':
      return `${event.model} failed: ${event.error.message}`;
    case 'model.fell-back':
      return `Asking ${event.to} in place of ${event.from}: ${event.error.message}`;
    case 'model.swapped':
      return `Now with ${event.to}`;
    case 'text.spilled':
      return `Stored a long text: ${event.artifact}`;
    case 'session.lost':
      return `Restarting with ${event.strategy}: ${event.reason}`;
    case 'context.compacted':
      return `Compacted the conversation from ${event.before} to ${event.after} tokens`;
    case 'context.summary-failed':
      return `Cannot summarise: ${event.error.message}`;
    case 'memory.failed':
      return `The memory ${event.memory} failed: ${event.error.message}`;
    default:
      return toolWords(event);
  }
};

const omittedWords = (model: string, omitted: Readonly<Record<string, string>>): string =>
  `Asked ${model} without ${namedReasons(omitted).join(', ')}`;

const namedReasons = (reasons: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(reasons).map(([name, reason]) => `${name} (${reason})`);

const toolWords = (event: LiveEvent): string | undefined => {
  switch (event.type) {
    case 'tool.approval-requested':
      return `Waiting for a yes${byRule(event)}: ${event.description || event.tool}`;
    case 'tool.approval-given':
      return `Approved by ${event.by.name}, who is not enough: ${event.tool}`;
    case 'tool.ambiguous':
      return `May have been done before: ${event.description || event.tool}`;
    case 'tool.denied':
      return `Denied${byRule(event)}: ${event.tool}${event.reason === undefined ? '' : `, ${event.reason}`}`;
    case 'tool.started':
      return event.description || `Using ${event.tool}`;
    case 'tool.progressed':
      return event.text;
    case 'tool.retrying':
      return `Retrying ${event.tool} in ${seconds(event.waitMs)}: ${event.error.message}`;
    case 'tool.finished':
      return event.ok ? undefined : `${event.tool} failed: ${event.error?.message ?? event.text}`;
    case 'tool.deprecated':
      return `${event.tool} is deprecated: ${event.reason}`;
    case 'toolset.opened':
      return openedWords(event);
    case 'toolset.failed':
      return `The tools of ${event.toolset} are missing: ${event.error.message}`;
    default:
      return teamWords(event);
  }
};

const byRule = ({ rule }: { readonly rule?: string | undefined }): string =>
  rule === undefined ? '' : ` (${rule})`;

const openedWords = ({ toolset, tools, refused = {} }: EventOf<'toolset.opened'>): string => {
  const out = namedReasons(refused);
  return `Opened ${toolset}: ${listNames(Object.keys(tools))}${out.length === 0 ? '' : `, without ${out.join(', ')}`}`;
};

/** Names that a line shows: the others are counted. */
const MAX_NAMES = 5;

const listNames = (names: readonly string[]): string => {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(', ') || 'nothing'}${more > 0 ? ` and ${more} more` : ''}`;
};

const teamWords = (event: LiveEvent): string | undefined => {
  switch (event.type) {
    case 'person.asked':
      return `Asking: ${event.question}`;
    case 'person.answered':
      return `Answered: ${event.text}`;
    case 'request.withdrawn':
      return `Withdrawn: ${event.reason}`;
    case 'answer.refused':
      return `Answer refused: ${event.reason}`;
    case 'message.sent':
      return `${event.from} to ${event.to}: ${event.text}`;
    case 'message.dropped':
      return droppedWords(event);
    case 'member.engaged':
      return `Engaged ${event.member}`;
    case 'delegation.began':
      return `Delegated to ${event.to} (${event.id})`;
    case 'delegation.returned':
      return `${event.to} returned (${event.id}): ${event.status}`;
    case 'member.refused':
      return `Did not engage ${event.member}: ${event.reason}`;
    case 'member.ended':
      return event.status === 'failed' ? endWords(event) : `${event.member} ended: ${event.status}`;
    case 'team.planned':
      return `Planned ${event.assignments.map(({ member, task }) => `${member}: ${task}`).join('; ')}`;
    case 'team.noted':
      return event.text;
    case 'task.handed-over':
      return `${event.from} hands over to ${event.to}${event.message === undefined ? '' : `: ${event.message}`}`;
    case 'handoff.refused':
      return `${event.from} may not hand over to ${event.to}: ${event.reason}`;
    case 'route.chosen':
      return `Gives it to ${event.member} (${event.strategy})`;
    case 'route.degraded':
      return `Cannot choose as it should: ${event.reason}`;
    case 'route.changed':
      return `Goes on from ${event.from} to ${event.to}: ${event.reason}`;
    case 'bid.made':
      return `${event.member} would do it for ${event.cost}`;
    case 'contract.awarded':
      return `${event.member} gets the work for ${event.cost}`;
    case 'insight.shared':
      return `${event.member} notes: ${event.content}`;
    case 'stage.failed':
      return `Continuing without ${event.member}: ${event.message}`;
    case 'work.reviewed':
    case 'work.reassigned':
    case 'work.refused':
      return workWords(event);
    case 'observer.failed':
      return `The observer ${event.observer} failed: ${event.error.message}`;
    case 'observer.dropped':
      return `The observer ${event.observer} missed ${event.count} events`;
    default:
      return limitWords(event);
  }
};

const workWords = (event: EventOf<'work.reviewed' | 'work.reassigned' | 'work.refused'>): string => {
  if (event.type === 'work.refused') return `Nobody does '${event.task}': ${event.reason}`;
  if (event.type === 'work.reassigned')
    return event.from === event.to
      ? `${event.to} does it again: ${event.reason}`
      : `${event.to} does it in place of ${event.from}: ${event.reason}`;
  if (event.accepted === null) return `Nobody reviewed the work of ${event.member}: ${event.reason}`;
  return event.accepted
    ? `Accepted the work of ${event.member}`
    : `Sent back the work of ${event.member}: ${event.reason}`;
};

const limitWords = (event: LiveEvent): string | undefined => {
  switch (event.type) {
    case 'loop.warned':
      return `Going round in circles: ${rounds(event)}`;
    case 'limit.neared':
      return `${event.stage === 'warned' ? 'Near the limit' : 'Wrapping up'}: ${percent(event.used)} of ${event.rule} used`;
    case 'budget.warned':
      return `${percent(event.fraction)} of the budget used: ${BUDGETS[event.budget](event)}`;
    default:
      return undefined;
  }
};

const rounds = ({ period, repeats, tools }: EventOf<'loop.warned'>): string => {
  const what = tools.length === 0 ? 'the same' : tools.join(', ');
  return `${what}, ${repeats} times${period === 1 ? '' : ` over ${period} steps`}`;
};

const percent = (fraction: number): string => `${Math.round(fraction * 100)} %`;

const amount = (number: number): string => number.toLocaleString('en', { maximumFractionDigits: 4 });

type Spent = Pick<EventOf<'budget.warned'>, 'used' | 'limit'>;

const countWords =
  (what: string) =>
  ({ used, limit }: Spent): string =>
    `${amount(used)} of ${amount(limit)} ${what}`;

const BUDGETS = {
  steps: countWords('steps'),
  tokens: countWords('tokens'),
  toolCalls: countWords('tool calls'),
  usd: ({ used, limit }: Spent) => `$${amount(used)} of $${amount(limit)}`,
  timeMs: ({ used, limit }: Spent) => `${seconds(used)} of ${seconds(limit)}`,
} as const;

const droppedWords = ({
  from,
  to,
  reason,
  count = 1,
}: Extract<LiveEvent, { type: 'message.dropped' }>): string =>
  `${count === 1 ? 'A message' : `${count} messages`} of ${from} to ${to} reached nobody: ${whyDropped[reason]}`;

const whyDropped: Readonly<Record<DropReason, string>> = {
  nobody: 'nobody is there',
  full: 'the mailbox is full',
  expired: 'it waited too long',
  unread: 'its receiver ended first',
  quarantined: 'its receiver kept failing at its task',
  escalated: 'its receiver failed, and its team with it',
  hops: 'it is too long a chain of messages',
  'ping-pong': 'the two have exchanged too many messages about that',
  direction: 'it may not go that way',
  deadlock: 'each would have waited for the other',
};
