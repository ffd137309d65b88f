import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Json, JsonObject } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { ChangeableEvent } from '../../../runtime/journal/resume/changed-event.ts';
import { changeableAt } from '../../../runtime/journal/resume/changed-event.ts';
import type { EventChange } from '../../../runtime/journal/resume/changed-parting.ts';
import { recordsIn } from '../../../runtime/journal/resume/stored-run.ts';
import type { Recording } from '../../recording/recording.ts';
import { editedInput } from '../edited-input.ts';
import { callsSchema } from './fork-command.ts';

/** The event of a stored run that a person changes, and how the page shows it. */
export interface ShownEvent {
  readonly event: ChangeableEvent;
  /** A value as the page may see it. */
  readonly show: (value: unknown) => Json;
}

/** @throws (rejects with) `journal.unknown`, `journal.point-unknown`; `input.invalid` for an event that cannot be changed. */
export const shownEvent = async (
  store: JournalStore,
  { run, seq }: { readonly run: string; readonly seq: number },
  recording: Pick<Recording, 'line'>,
): Promise<ShownEvent> => {
  const { records } = await recordsIn(store, run);
  return {
    event: changeableAt(records, seq),
    show: (value) => toJson(JSON.parse(recording.line(value))),
  };
};

/** The parts of an event that may be edited, as the page shows them. */
export const formOf = ({ event, show }: ShownEvent, models: readonly string[]): JsonObject => {
  const { type, path, text } = event;
  const step = event.step === undefined ? {} : { step: event.step };
  const more =
    event.type === 'model.answered'
      ? { calls: show(event.calls), tools: show(event.tools.map(({ name }) => name)), askedAt: event.askedAt }
      : {};
  return { type, path, ...step, text: show(text), ...more, models: show(models) };
};

/**
 * The change that a person means who edited what the page shows: what was left as it was shown is what it was. Undefined if nothing was.
 *
 * @throws {TroupeError} `input.invalid` where a redacted part was moved or edited.
 */
export const meantChange = (
  { event, show }: ShownEvent,
  { text, calls }: EventChange,
): EventChange | undefined => {
  const meantText = text === undefined ? undefined : editedInput(text, event.text, show(event.text));
  const meantCalls = calls === undefined ? undefined : callsMeant(calls, event, show);
  if (meantText === undefined && meantCalls === undefined) return undefined;
  return {
    ...(typeof meantText === 'string' ? { text: meantText } : {}),
    ...(meantCalls === undefined ? {} : { calls: meantCalls }),
  };
};

const callsMeant = (
  calls: readonly ChosenCall[],
  event: ChangeableEvent,
  show: ShownEvent['show'],
): readonly ChosenCall[] | undefined => {
  // A result or a message has none: the fork says so.
  if (event.type !== 'model.answered') return calls;
  const meant = editedInput(toJson(calls), toJson(event.calls), show(event.calls));
  return meant === undefined ? undefined : callsSchema.parse(meant);
};

/** The error for a fork at an event of which nothing was changed. */
export const refuseUnchanged = (run: string): TroupeError =>
  new TroupeError(
    'input.invalid',
    'Cannot fork with a change as nothing was changed: edit the text, the calls or the state',
    {
      runId: run,
    },
  );
