import type { AgentContext } from '../../machines/agent/agent-context.ts';
import type { ToolCallContext } from '../../machines/tool-call/tool-call-context.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { TurnRecord } from '../../runtime/turn/turn-record.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { stepLimit } from './step-limit.ts';
import type { Player } from './world.ts';
import { isCall } from './world.ts';

/**
 * Makes the canonical form of actors: those of one key are taken for the same. What only grows is left out: conversations, times, ids, tokens and,
 * unless `steps` tells them apart, numbers of steps.
 */
export class WorldKeys {
  readonly #tellsSteps: boolean;
  /** Contexts are long: one is hashed once. */
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<TurnRecord, number>();

  constructor(tellsSteps: boolean) {
    this.#tellsSteps = tellsSteps;
  }

  ofPlayer(player: Player): string {
    // The address of a call's actor has the number of the step in it.
    const { path, sponsor, pending } = player;
    const who = sponsor !== undefined && isCall(player) ? `${sponsor.path}~${sponsor.index}` : path;
    let asked = '';
    for (const { port, index } of pending) asked += `${port}${index},`;
    return `${who}|${asked}|${this.#ofRecord(player)}`;
  }

  #ofRecord(player: Player): number {
    const { record } = player;
    const known = this.#known.get(record);
    if (known !== undefined) return known;
    const { position } = record;
    const context = position?.context;
    const key = `${JSON.stringify(position?.value ?? null)}${this.#textOf(player, context)}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, number);
    this.#known.set(record, number);
    return number;
  }

  #textOf(player: Player, context: unknown): string {
    if (isCall(player)) return JSON.stringify(callFacts(context));
    return player.part.definition.agent === undefined
      ? JSON.stringify(context, withoutGrowing)
      : // The machine of an agent has its context.
        JSON.stringify(
          agentFacts(context as AgentContext, this.#tellsSteps || isCounting(player.part.definition)),
        );
  }
}

/** The most steps that are distinguished. */
const FEW = 20;

/** Checks whether an agent has a limit of steps that it may well reach: then each step is another. */
const isCounting = (definition: Definition): boolean => {
  let known = counting.get(definition);
  if (known === undefined) counting.set(definition, (known = stepLimit(definition) <= FEW));
  return known;
};

const counting = new WeakMap<Definition, boolean>();

/** The facts of an agent that make a difference to what it does next, beside what its environment says. */
const agentFacts = (
  { input, step, state, inbox, cycle, review, end }: AgentContext,
  tellsSteps: boolean,
): unknown => [
  input,
  tellsSteps ? step : 0,
  state,
  inbox.map(({ text }) => text),
  cycle.decision,
  cycle.plan === null ? null : [cycle.plan.started, cycle.plan.results.map(factOf)],
  cycle.results.map(factOf),
  cycle.trouble !== null,
  review.candidate,
  [review.rejections, review.unknownTools, review.badTurns],
  review.recovery ?? null,
  end?.stopReason.kind ?? null,
];

const factOf = (result: ToolResult | null): unknown =>
  result === null ? null : [result.tool, result.ok ? result.text : result.kind];

/** The machine of a call has its context. */
const callFacts = (context: unknown): unknown => {
  const { of, attempt, isApproved, result } = context as ToolCallContext;
  return [of.call.name, of.call.input, attempt, isApproved, factOf(result)];
};

/** Fields of the contexts of teams that only grow, or that say when and who it was and not what. */
const GROWING: ReadonlySet<string> = new Set([
  'runId',
  'at',
  'now',
  'startedAt',
  'endedAt',
  'dueAt',
  'tally',
  'usage',
  'steps',
  'errorId',
  'key',
  'history',
  'conversation',
  'telling',
  'durationMs',
]);

const withoutGrowing = (name: string, value: unknown): unknown => {
  if (GROWING.has(name)) return undefined;
  return isJsonObject(value) && 'errorId' in value ? { code: value['code'] } : value;
};
