import { canonical } from '../../../base/json/canonical.ts';
import { toJson } from '../../../base/json/json.ts';
import type { CallFact } from '../run-facts.ts';
import { callsIn } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

/** Input tokens from which providers cache a prompt. */
const CACHED_FROM = 1_024;
/** The part of a prompt that is read from the cache at least, where its prefix is intact. */
const READ = 0.1;
const LEAST = 3;
/** The part that differs, where requests are not on record. */
const UNKNOWN = 'not known';
const PRICE = 'assumes that cached input costs a tenth';

/** Calls whose prompt does not begin as the one before, by the part that differs. */
class Breaks extends Tally {
  readonly parts = new Map<string, number>();
}

/** Finds prompts that change at their beginning from call to call, so that the provider's prompt cache is of no use. */
export const brokenPrefixes = (): Rule => {
  const byModel = new Table(() => new Breaks());
  /** The last call of each agent in an earlier run: only instructions and tools are shared between runs. */
  const last = new Table<{ call: CallFact | undefined }>(() => ({ call: undefined }));
  const look = (before: CallFact, call: CallFact, runId: string, isSameRun: boolean): void => {
    const breaks = byModel.of(call.agent, call.model);
    breaks.of += 1;
    const part = changedPart(before, call, isSameRun);
    if (part === undefined) return;
    breaks.parts.set(part, (breaks.parts.get(part) ?? 0) + 1);
    breaks.add(runId, { tokens: Math.max(0, before.usage.input - (call.usage.cached ?? 0)) });
  };
  return {
    take: (run) => {
      const inRun = new Map<string, CallFact>();
      for (const call of callsIn(run)) {
        if (call.isCached || call.usage.input < CACHED_FROM) continue;
        const before = inRun.get(call.path);
        const earlier = last.of(call.agent, call.model);
        if (before !== undefined) look(before, call, run.runId, true);
        else if (earlier.call?.request !== undefined && call.request !== undefined)
          look(earlier.call, call, run.runId, false);
        inRun.set(call.path, call);
        // Without its conversation, which may be long.
        earlier.call = { ...call, request: call.request && { ...call.request, messages: [] } };
      }
    },
    findings: () =>
      [...byModel.rows].flatMap(({ agent, name: model, value: breaks }) => {
        const { count, of, tokens, parts } = breaks;
        if (count < LEAST || count * 2 < of) return [];
        const isExact = !parts.has(UNKNOWN);
        const part = [...parts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? '';
        return [
          {
            type: 'prompt-prefix' as const,
            agent,
            model,
            description: `The prompts of agent '${agent}' for ${model} do not begin alike (${part}), so that their prefix is not cached: keep what changes at the end`,
            // A provider takes about a tenth of the price for what it has in its cache.
            expected: { tokens: tokens * (1 - READ) },
            evidence: breaks.evidence({ uncachedTokens: tokens, ...Object.fromEntries(parts) }),
            proven: isExact ? breaks.recounted() : false,
            basis: isExact
              ? `compared ${of} recorded prompts with the one before; ${PRICE}`
              : `${PRICE}; not proven as requests are not on record: by reported tokens, little of ${count} prompts was cached`,
          },
        ];
      }),
  };
};

/** The first part of a prompt that differs from the one before; undefined if its prefix is intact. */
const changedPart = (before: CallFact, call: CallFact, isSameRun: boolean): string | undefined => {
  const [one, other] = [before.request, call.request];
  if (one === undefined || other === undefined)
    return isSameRun && call.usage.cached !== undefined && call.usage.cached < before.usage.input * READ
      ? UNKNOWN
      : undefined;
  if (one.hashes.tools !== other.hashes.tools) return 'tools';
  if (one.hashes.instructions !== other.hashes.instructions) return 'instructions';
  // Notes of the runtime for one call stand at the end, and are no part of the conversation.
  const index = one.messages.findIndex(({ turn }, at) => !isSameTurn(turn, other.messages[at]?.turn));
  return isSameRun && index >= 0 && index < one.messages.length - 1 ? 'messages' : undefined;
};

const isSameTurn = (one: unknown, other: unknown): boolean =>
  one === other || (other !== undefined && canonical(toJson(one)) === canonical(toJson(other)));
