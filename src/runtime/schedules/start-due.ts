import type { JournalStore } from '../../contracts/journals/journal.ts';
import { resumeOrStart } from '../journal/resume/run-or-resume.ts';
import { journaledDefinition } from '../journal/resume/resume.ts';
import { startStored } from '../journal/resume/stored-run.ts';
import type { Due, ScheduleOptions, SchedulesOptions } from './schedule.ts';
import type { OnHandle } from './schedule-keeper.ts';

/** The means of starting runs. */
export interface StartSetup extends Pick<SchedulesOptions, 'engine' | 'run' | 'clock'> {
  readonly store: JournalStore;
}

/** Starts the run of what is due, or resumes it where its journal ends: of one id there is one run, whichever process starts it. */
export const startDue = async <Input>(
  { agent, input, thread }: ScheduleOptions<Input>,
  due: Due,
  { engine, run, store, clock }: StartSetup,
  onHandle: OnHandle,
): Promise<void> => {
  // Without one of its own, an engine's clock holds.
  const options = { ...run, store, runId: due.runId, ...(clock === undefined ? {} : { clock }) };
  let isKnown = false;
  const handle = await resumeOrStart(agent, options, async () => {
    const given = isFunction(input) ? await input(due) : input;
    const starting = { ...options, ...(thread === undefined ? {} : { thread }) };
    const begun =
      engine === undefined
        ? startStored<unknown, unknown>(journaledDefinition(agent), given, starting, { isAttended: true })
        : engine.stream(agent, given, starting);
    isKnown = true;
    onHandle(begun);
    return begun;
  });
  if (!isKnown) onHandle(handle);
};

const isFunction = <Input>(
  input: ScheduleOptions<Input>['input'],
): input is (due: Due) => Input | Promise<Input> => typeof input === 'function';
