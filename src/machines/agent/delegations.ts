import { append } from '../../base/collections/history.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { Control, ToolResult } from '../../contracts/tools/tool-result.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { AgentChange, AgentContext } from './agent-context.ts';
import { runtimeSays, textOf } from './conversation.ts';
import type { Delegations, Given } from './delegations-state.ts';
import { NOTHING_GIVEN, underWay } from './delegations-state.ts';
import type { Engagement } from '../outputs.ts';

/** Applies the delegations, follow-ups, cancellations and waits in a step's results; undefined if nothing changes. */
export const applyDelegations = (
  { run, review: { delegations } }: AgentContext,
  results: readonly ToolResult[],
): Delegations | undefined => {
  let next = delegations === undefined || isAtRest(delegations) ? delegations : restDelegations(delegations);
  // A wait includes work that is delegated in the same step.
  for (const isAwait of [false, true])
    for (const result of results)
      if (result.ok && result.control !== undefined && (result.control.type === 'await') === isAwait)
        next = following(next ?? NOTHING_GIVEN, run.path, result.tool, result.control);
  return next === NOTHING_GIVEN || next === delegations ? undefined : next;
};

const isAtRest = ({ isParked, beginning, leaving, saying }: Delegations): boolean =>
  !isParked && beginning.length + leaving.length + saying.length === 0;

const restDelegations = (delegations: Delegations): Delegations => ({
  ...delegations,
  isParked: false,
  beginning: [],
  leaving: [],
  saying: [],
});

const following = (delegations: Delegations, path: string, tool: string, control: Control): Delegations => {
  switch (control.type) {
    case 'delegate':
      return control.follows === undefined
        ? beginning(delegations, path, tool, control, undefined)
        : goingOn(delegations, path, tool, control, control.follows);
    case 'delegated':
      return noteFinished(delegations, path, tool, control);
    case 'callOff':
      return cancelDelegation(delegations, control.id);
    case 'await':
      return underWay(delegations).length === 0 ? delegations : { ...delegations, isParked: true };
    default:
      return delegations;
  }
};

type Giving = Extract<Control, { type: 'delegate' }>;

/** Engages a delegate; a previous one's conversation is its history. */
const beginning = (
  delegations: Delegations,
  path: string,
  tool: string,
  giving: Giving,
  before: Given | undefined,
): Delegations => {
  const { to, task, beforeEnd, gatherMs, keepsConversation, without, budget } = giving;
  const id = before?.id ?? giving.id;
  const history = before?.conversation;
  const given: Given = {
    id,
    to,
    tool,
    path: `${path}/${giving.id}`,
    status: 'working',
    index: delegations.engaged,
    task,
    beforeEnd,
    gatherMs,
    terms: { keepsConversation, without, budget, history },
  };
  return {
    ...delegations,
    given: [...delegations.given.filter((each) => each.id !== id), given],
    engaged: delegations.engaged + 1,
    isNotified: false,
    beginning: [...delegations.beginning, id],
  };
};

/** A follow-up: sent as a message while the delegate runs, otherwise it restarts with its conversation. */
const goingOn = (
  delegations: Delegations,
  path: string,
  tool: string,
  giving: Giving,
  id: string,
): Delegations => {
  const before = delegations.given.find((each) => each.id === id);
  if (before === undefined || before.status === 'calledOff') return delegations;
  if (before.status === 'done') return beginning(delegations, path, tool, giving, before);
  const word = { path: before.path, text: giving.task };
  return { ...delegations, saying: [...delegations.saying, word] };
};

/** Records a finished delegation, so that it can be followed up. */
const noteFinished = (
  delegations: Delegations,
  path: string,
  tool: string,
  { id, to, conversation }: Extract<Control, { type: 'delegated' }>,
): Delegations => {
  const given: Given = {
    id,
    to,
    tool,
    path: `${path}/${id}`,
    status: 'done',
    conversation,
    index: -1,
    task: '',
    beforeEnd: 'leave',
    gatherMs: 0,
    terms: {},
  };
  return { ...delegations, given: [...delegations.given.filter((each) => each.id !== id), given] };
};

const cancelDelegation = (delegations: Delegations, id: string): Delegations => {
  const found = delegations.given.find((each) => each.id === id && each.status === 'working');
  if (found === undefined) return delegations;
  const { conversation: _said, ...rest } = found;
  return {
    ...delegations,
    given: delegations.given.map((each) => (each.id === id ? { ...rest, status: 'calledOff' } : each)),
    beginning: delegations.beginning.filter((each) => each !== id),
    leaving: [...delegations.leaving, found.path],
  };
};

/** Delegates to engage at the end of this step. */
export const delegateEngagements = ({ review: { delegations } }: AgentContext): readonly Engagement[] =>
  delegationsToStart(delegations).map(({ path, to, tool, task, index, terms }) => ({
    path,
    actor: { kind: 'delegate', name: to, tool },
    input: task,
    port: 'delegate',
    index,
    terms,
  }));

/** Delegations that start with this step. */
export const delegationsToStart = (delegations: Delegations | undefined): readonly Given[] =>
  delegations === undefined || delegations.beginning.length === 0
    ? []
    : delegations.given.filter(({ id }) => delegations.beginning.includes(id));

/** The end of a delegate, as its sponsor's machine receives it. */
export interface Return {
  readonly index: number;
  readonly path: string;
  readonly output: Outcome;
}

/** The delegation that an end belongs to; undefined if it is not its current engagement. */
export const returning = (
  { review: { delegations } }: AgentContext,
  { index, path }: Pick<Return, 'index' | 'path'>,
): Given | undefined =>
  delegations?.given.find((each) => each.index === index && each.path === path && each.status === 'working');

/** Time worth waiting for other delegates, in ms; 0 if there are none. */
export const gathering = (context: AgentContext, back: Pick<Return, 'index' | 'path'>): number => {
  const found = returning(context, back);
  if (found === undefined) return 0;
  const others = underWay(context.review.delegations).filter((each) => each !== found);
  return others.length === 0 ? 0 : found.gatherMs;
};

/** Handles the return of a delegate: a message to the agent, seen at its next step. */
export const returned = (context: AgentContext, back: Return, at: number): AgentChange => {
  const { review, inbox, tally } = context;
  const { delegations } = review;
  const found = returning(context, back);
  if (found === undefined || delegations === undefined) return {};
  const { conversation } = back.output;
  const done: Given = { ...found, status: 'done', terms: {}, ...(conversation && { conversation }) };
  return {
    review: {
      ...review,
      delegations: {
        ...delegations,
        given: delegations.given.map((each) => (each === found ? done : each)),
      },
    },
    inbox: [...inbox, messageOf(found, back.output)],
    tally: { ...tally, now: at },
  };
};

const messageOf = ({ id, to }: Given, outcome: Outcome): Message => ({
  from: to,
  text: `[${id}] ${wordsOf(to, outcome)}`,
  data: { delegation: id, status: outcome.status },
});

const wordsOf = (
  to: string,
  { status, output, candidate, error, stopReason, autoCompleted }: Outcome,
): string => {
  if (status === 'failed') return `'${to}' failed: ${error?.message ?? 'nobody knows why'}`;
  const left = output ?? candidate;
  const words = left === undefined ? 'It left nothing.' : `It left: ${textOf(left)}`;
  if (autoCompleted === true) return `'${to}' never said that it was done. ${words}`;
  return status === 'completed'
    ? textOf(left ?? null)
    : `'${to}' was stopped before it was done (${stopReason.kind}). ${words}`;
};

/** Checks whether a message is the result of a delegated task. */
export const isResult = ({ data }: Message): boolean =>
  typeof data === 'object' && data !== null && 'delegation' in data;

/**
 * Holds an answer: a delegate's result was not read, or one is still running and the agent was not notified of that; undefined if the
 * answer stands.
 */
export const putBack = (context: AgentContext): AgentChange | undefined => {
  const { review, inbox, history } = context;
  const { delegations } = review;
  if (delegations === undefined) return undefined;
  const goOn = (change: Partial<Delegations>, note: string): AgentChange => ({
    review: { ...review, candidate: null, delegations: { ...delegations, ...change } },
    history: append<Turn>(history, runtimeSays(note)),
  });
  if (inbox.some(isResult)) return goOn({}, UNREAD);
  const working = underWay(delegations);
  const ids = working.map(({ id }) => id).join(', ');
  if (working.some(({ beforeEnd }) => beforeEnd === 'wait'))
    return goOn({ isParked: true }, postponedNote(ids));
  return working.some(({ beforeEnd }) => beforeEnd === 'tell') && !delegations.isNotified
    ? goOn({ isNotified: true }, notYet(ids))
    : undefined;
};

const UNREAD =
  'Your answer was not taken: work that you gave away had come back, and you had not read it. It follows. Answer again.';
const notYet = (ids: string): string =>
  `Your answer was not taken yet: work that you gave away is still under way (${ids}). Wait for it, or answer again to end without it.`;
const postponedNote = (ids: string): string =>
  `Your answer is put back until the work that you gave away has come back (${ids}). Answer again then.`;

/** Drops the conversations from results, as they are stored elsewhere by now. */
export const withoutConversations = (results: readonly ToolResult[]): readonly ToolResult[] =>
  results.some((result) => result.ok && result.control?.type === 'delegated')
    ? results.map((result) =>
        result.ok && result.control?.type === 'delegated'
          ? { ...result, control: { ...result.control, conversation: [] } }
          : result,
      )
    : results;
