import type { Json } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { isSameJson } from '../../../base/json/same-json.ts';
import type { CallFact, Move, RunFacts, ToolFact } from '../run-facts.ts';
import { inGroups, movesByPath } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

const LEAST = 3;

/** Tool calls of an agent that waited for each other without need. */
export interface SerialCalls {
  readonly agent: string;
  readonly path: string;
  readonly calls: readonly ToolFact[];
  /** The answer that asked for the first of them; undefined where no model did. */
  readonly asked: CallFact | undefined;
  /** The answer that would not have been needed, had one asked for all. */
  readonly between: CallFact | undefined;
  /** The time that they would save at once, in ms. */
  readonly savedMs: number;
}

/** The serial calls of a run: of one answer, or of answers whose arguments were known before. */
export const serialCallsIn = (run: RunFacts): readonly SerialCalls[] =>
  [...movesByPath(run)].flatMap((moves) => [...serialAnswers(moves), ...serialPairs(moves, run)]);

/** The words of a finding, which are equal for equal tools. */
export const describeSerial = ({ agent, calls }: Pick<SerialCalls, 'agent' | 'calls'>): string =>
  `Agent '${agent}' calls ${names(calls)} one after the other, though neither needs the other's result: have it call them in one answer, and let them run at once`;

/** Finds tool calls that waited for each other without need. */
export const serialTools = (): Rule => {
  const byAgent = new Table(() => new Tally());
  return {
    take: (run) => {
      for (const found of serialCallsIn(run)) {
        const { usage, costUsd } = found.between ?? { costUsd: 0 };
        const tokens = usage === undefined ? 0 : usage.input + usage.output;
        byAgent
          .of(found.agent, describeSerial(found))
          .add(run.runId, { latencyMs: found.savedMs, costUsd, tokens });
      }
    },
    findings: () =>
      [...byAgent.rows].flatMap(({ agent, name: description, value: tally }) => {
        const { count, latencyMs, tokens, costUsd } = tally;
        if (count < LEAST) return [];
        tally.of = count;
        return [
          {
            type: 'parallel-tools' as const,
            agent,
            description,
            expected: { latencyMs, ...(tokens === 0 ? {} : { tokens, costUsd }) },
            evidence: tally.evidence({ savedMs: latencyMs }),
            proven: false,
            basis:
              'measured from the times of calls; not proven as no run was tried with the calls in one answer, in either order',
          },
        ];
      }),
  };
};

/** Calls of one step that never overlapped. */
const serialAnswers = (moves: readonly Move[]): readonly SerialCalls[] =>
  [...inGroups(moves, ({ step }) => String(step))].flatMap((ofStep) => {
    const calls = ofStep.filter((move) => move.kind === 'tool');
    const [first] = calls;
    const savedMs = savedAtOnce(calls);
    if (first === undefined || savedMs <= 0) return [];
    const asked = ofStep.slice(0, ofStep.indexOf(first)).findLast((move) => move.kind === 'model');
    return [{ agent: first.agent, path: first.path, calls, asked, between: undefined, savedMs }];
  });

/** Calls of two answers, of which the second was asked for with what was known before the first. */
const serialPairs = (moves: readonly Move[], run: RunFacts): readonly SerialCalls[] =>
  pairsIn(moves).flatMap(({ first, between, second }) => {
    if (!wasKnown(second.input, textBefore(first, moves, run))) return [];
    const asked = moves[moves.indexOf(first) - 1];
    return [
      {
        agent: first.agent,
        path: first.path,
        calls: [first, second],
        asked: asked?.kind === 'model' ? asked : undefined,
        between,
        savedMs: between.ms + Math.min(first.ms, second.ms),
      },
    ];
  });

const names = (calls: readonly ToolFact[]): string =>
  [...new Set(calls.map(({ tool }) => `'${tool}'`))].toSorted().join(' and ');

/** The time in ms that calls of one answer would save at once; 0 if some overlapped. */
const savedAtOnce = (calls: readonly ToolFact[]): number => {
  const ordered = calls.toSorted((one, other) => one.startedAt - other.startedAt);
  const isSerial = ordered.every(({ startedAt }, index) => startedAt >= (ordered[index - 1]?.endedAt ?? 0));
  if (ordered.length < 2 || !isSerial) return 0;
  const times = ordered.map(({ ms }) => ms);
  return times.reduce((sum, ms) => sum + ms, 0) - Math.max(...times);
};

/** Two single tool calls with one answer between them that asks only for the second. */
const pairsIn = (moves: readonly Move[]) =>
  moves.flatMap((between, index) => {
    const [first, second, next] = [moves[index - 1], moves[index + 1], moves[index + 2]];
    if (between.kind !== 'model' || between.calls !== 1 || first?.kind !== 'tool' || second?.kind !== 'tool')
      return [];
    const isSingle = moves[index - 2]?.kind !== 'tool' && next?.kind !== 'tool';
    // Calls of the same are one too many, not two at once.
    const isSame = first.tool === second.tool && isSameJson(first.input, second.input);
    return isSingle && !isSame && first.isOk && second.isOk
      ? [{ first, between, second } satisfies Pair]
      : [];
  });

interface Pair {
  readonly first: ToolFact;
  readonly between: CallFact;
  readonly second: ToolFact;
}

/** The texts that the agent had when it asked for a call; a member of a team has its task from others. */
const textBefore = (call: ToolFact, moves: readonly Move[], { input }: RunFacts): string => {
  const before = moves.slice(0, moves.indexOf(call));
  const asked = before.findLast((move) => move.kind === 'model');
  const sent = asked?.request?.messages.map(({ turn }) => turn.text) ?? [];
  return [input, ...sent, ...before.map(({ text }) => text)].join('\n');
};

/** Checks whether an input has nothing but what a text says. A leaf of one or two characters says nothing, as it occurs anywhere. */
const wasKnown = (input: Json, text: string): boolean => {
  const leaves = leavesOf(input);
  return leaves.some((leaf) => leaf.length > 2) && leaves.every((leaf) => text.includes(leaf));
};

const leavesOf = (value: Json): readonly string[] => {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap((item: Json) => leavesOf(item));
  return isJsonObject(value) ? Object.values(value).flatMap((item) => leavesOf(item ?? null)) : [];
};
