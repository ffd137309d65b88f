import { meantChange, refuseUnchanged, shownEvent } from '../../../inspect/local/forks/changed-event.ts';
import { meantState, shownState } from '../../../inspect/local/forks/changed-state.ts';
import { asJson } from '../../../inspect/recording/fitted.ts';
import { redactor, secretsIn } from '../../../policy/redaction.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import { changeableAt } from '../../../runtime/journal/resume/changed-event.ts';
import type { EventChange } from '../../../runtime/journal/resume/changed-parting.ts';
import type { ForkChange } from '../../../runtime/journal/resume/resume-options.ts';
import type { RunPoint } from '../../../runtime/journal/resume/run-point.ts';
import type { LoadedAgent } from '../../load-agent.ts';
import type { Session } from '../../session.ts';
import type { ForkCommand } from '../../usage/commands.ts';
import type { StoredRun } from '../../../runtime/journal/resume/sound-run.ts';
import { givenCalls } from './given-calls.ts';
import { givenState } from './given-state.ts';

/** The point of a fork, and what it has in place of the event there. */
export interface ForkPlan {
  readonly at: RunPoint;
  readonly change: EventChange & Pick<ForkChange, 'state'>;
}

/**
 * The fork that a person means: a text or calls that `troupe show` gave with secrets redacted are those of the run, and another model alone is
 * asked in place of the one that gave the answer.
 *
 * @throws (rejects with) {TroupeError} `command.usage`; `journal.point-unknown`, `input.invalid` for an event that cannot be changed, or not so.
 */
export const forkPlan = async (
  { at, text, calls: given, state: json }: ForkCommand,
  run: Pick<StoredRun, 'events' | 'records'> & {
    readonly agent: Pick<LoadedAgent, 'name'>;
    readonly runId: string;
    readonly store: JournalStore;
  },
  { terminal, settings }: Session,
): Promise<ForkPlan> => {
  const { agent, runId, store, events, records } = run;
  const redact = redactor(secretsIn(terminal.environment));
  const recording = { line: (value: unknown) => redact(asJson(value)) };
  if (json !== undefined) {
    const edited = await givenState(json, terminal.folder);
    const state = meantState(await shownState(agent, { store, run: runId, at }, recording), edited);
    if (state === undefined) throw refuseUnchanged(runId);
    return { at, change: { state } };
  }
  const calls = given === undefined ? undefined : await givenCalls(given, terminal.folder);
  if (!('seq' in at)) return { at, change: {} };
  if (text === undefined && calls === undefined)
    return {
      at: settings.model !== undefined && isAnswer(at, events) ? pointOfRequest(at, records) : at,
      change: {},
    };
  const shown = await shownEvent(store, { run: runId, seq: at.seq }, recording);
  const change = meantChange(shown, { text, calls });
  if (change === undefined) throw refuseUnchanged(runId);
  return { at, change };
};

type EventPoint = Extract<RunPoint, { readonly seq: number }>;

const isAnswer = ({ seq }: EventPoint, events: readonly RuntimeEvent[]): boolean =>
  events.find((event) => event.seq === seq)?.type === 'model.answered';

const pointOfRequest = ({ seq }: EventPoint, records: StoredRun['records']): RunPoint => {
  const event = changeableAt(records, seq);
  return { seq: event.type === 'model.answered' ? event.askedAt : seq };
};
