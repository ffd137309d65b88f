import type { Agent } from '../../../src/contracts/agents/agent.ts';
import type { RunInspector } from '../../../src/contracts/events/inspection.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import type { RunHandle } from '../../../src/contracts/runs/run-handle.ts';
import type { ModelAnswer } from '../../../src/contracts/models/model.ts';
import type { ScriptedModel, ScriptedReply } from '../../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';

/** The inspector and the store that record a situation. */
export interface RecordedIn {
  readonly inspect: RunInspector;
  readonly store: JournalStore;
}

/** A run in which a person looks for answers. */
export interface Situation {
  readonly name: string;
  readonly agent: Agent<string, unknown>;
  readonly runId: string;
  /** Plays it up to the moment at which a person looks. */
  play(where: RecordedIn): Promise<RunHandle<unknown, unknown>>;
}

/** Nine o'clock on a Monday: all situations begin then, so that each picture of one shows the same times. */
export const NINE = Date.UTC(2026, 2, 2, 9);

export const clockAtNine = (): VirtualClock => virtualClock(NINE);

/** A model that takes so long for each answer, and is paid for it. */
export const pacedModel = (
  clock: VirtualClock,
  id: string,
  script: readonly (string | Partial<ModelAnswer> | Error)[],
  { tookMs = 1_200, billedUsd = 0.004 } = {},
): ScriptedModel =>
  scriptedModel(
    script.map((reply): ScriptedReply => async () => {
      await clock.advance(tookMs);
      if (reply instanceof Error) return reply;
      const answer = typeof reply === 'string' ? { text: reply } : reply;
      return { usage: { input: 820, output: 64, billedUsd }, ...answer };
    }),
    id,
  );
