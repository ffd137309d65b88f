import type { LiveEvent } from '../../contracts/events/event.ts';
import { blobsOf } from '../../runtime/content/blobs-of.ts';
import type { FoundRun } from '../../runtime/serve/runs/live-run.ts';
import type { Caller } from '../../runtime/serve/serve-options.ts';
import type { Serving } from '../../runtime/serve/serving.ts';
import { eventRedactor } from '../../runtime/serve/streams/event-redactor.ts';
import { flatMapItems } from '../../runtime/serve/streams/event-source.ts';
import { eventsOf, pastEvents } from '../../runtime/serve/watching.ts';
import type { BytesAt } from '../wire-parts.ts';
import type { ContextIds } from './context-ids.ts';
import { refusalToGrant } from './refusal-to-grant.ts';
import { TaskStory } from './task-story.ts';

/** The parts that tasks are read by. */
export interface TaskReading {
  readonly serving: Serving;
  /** The caller whose task it is: what it waits for is theirs to give, or another's. */
  readonly caller: Caller;
  readonly contexts: ContextIds;
  readonly showsActivity: boolean;
}

/** Reads the task of a run, redacted as for any observer. @throws {TroupeError} `journal.unknown`, `journal.corrupt` */
export const readTask = async (
  { serving, caller, contexts, showsActivity }: TaskReading,
  found: FoundRun,
): Promise<TaskStory> => {
  const { runId } = found.live ?? found.stored;
  const contextId = await contexts.of(found);
  const story = new TaskStory({
    taskId: runId,
    contextId,
    showsActivity,
    bytesAt: bytesOf(serving),
    refusalToGrant: (request) => refusalToGrant(request, caller),
  });
  const redact = eventRedactor(serving.redactor.secrets);
  for (const event of await pastEvents(serving, found))
    for (const shown of redact(event)) if (shown.type !== 'model.delta') story.hear(shown);
  return story;
};

/** Follows a run after the last event that a task knows; deltas are of answers that are under way. */
export const followTask = (
  { serving }: Pick<TaskReading, 'serving'>,
  found: FoundRun,
  { seq }: Pick<TaskStory, 'seq'>,
): AsyncIterator<LiveEvent, undefined> =>
  flatMapItems(eventsOf(serving, found), (event) =>
    event.type !== 'model.delta' && event.seq <= seq ? [] : [event],
  );

const bytesOf = ({ run, store }: Serving): BytesAt => {
  const blobs = blobsOf({
    ...(run.content === undefined ? {} : { content: run.content }),
    ...(store === undefined ? {} : { store }),
  });
  return async ({ hash }) => blobs.get(hash);
};
