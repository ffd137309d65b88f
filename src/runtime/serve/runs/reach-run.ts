import type { Json } from '../../../base/json/json.ts';
import type { GivenPart } from '../../../contracts/content/part.ts';
import { isTroupeError, TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { RequestAnswer } from '../../../contracts/people/request.ts';
import type { AbortOptions } from '../../../contracts/runs/run-control.ts';
import type { RemoteRequest } from '../../../contracts/runs/remote-run.ts';
import type { LetterContent } from '../../journal/letters/letters.ts';
import type { Serving } from '../serving.ts';
import type { FoundRun, LiveRun } from './live-run.ts';
import { endedRun, storeMissing } from './run-errors.ts';
import { answerElsewhere, answerHere, requestsHere, requestsStored, sendLetter } from './run-people.ts';

/** The open requests of a run, here or in the store, oldest first. */
export const requestsOf = async (serving: Serving, found: FoundRun): Promise<readonly RemoteRequest[]> => {
  const { redactor } = serving;
  return found.live === undefined
    ? requestsStored(storeOf(serving), found.stored.runId, redactor)
    : requestsHere(found.live, redactor);
};

/** Answers a request of a run; true for here. @throws {TroupeError} those of {@link answerHere}; `run.ended` */
export const answerRun = (serving: Serving, found: FoundRun, answer: RequestAnswer): Promise<boolean> =>
  hereOrElsewhere(serving, found, {
    here: (run) => {
      answerHere(run, answer, serving.clock);
    },
    elsewhere: (store, runId) => answerElsewhere(store, runId, answer, serving.run),
  });

/** A message to a run: a text, or parts that were checked. */
export interface SentMessage {
  readonly from: string;
  readonly content: Json;
  readonly path?: string | undefined;
}

/** Sends a message to a run; true for here. @throws {TroupeError} `message.undelivered`, `run.ended`; `journal.held` for parts */
export const sendToRun = (
  serving: Serving,
  found: FoundRun,
  { from, content, path }: SentMessage,
): Promise<boolean> =>
  hereOrElsewhere(serving, found, {
    here: ({ handle, runId }) => {
      // A list of parts, or a text; the run reads what is in the parts.
      if (handle.send(content as string | readonly GivenPart[], path)) return;
      throw new TroupeError('message.undelivered', 'Cannot send the message as nobody is there to take it', {
        runId,
      });
    },
    elsewhere: (store, runId) => {
      if (typeof content !== 'string')
        throw new TroupeError(
          'journal.held',
          'Cannot send parts as another process has the run: send a text',
          { runId },
        );
      return post(serving, store, runId, {
        kind: 'message',
        from,
        text: content,
        ...(path === undefined ? {} : { path }),
      });
    },
  });

/** Ends a run; true for here. @throws {TroupeError} `run.ended` */
export const abortRun = (
  serving: Serving,
  found: FoundRun,
  reason: string,
  after?: AbortOptions['after'],
): Promise<boolean> =>
  hereOrElsewhere(serving, found, {
    here: ({ handle }) => {
      handle.abort(reason, { after });
    },
    elsewhere: (store, runId) => post(serving, store, runId, { kind: 'abort', reason }),
  });

/** Holds the next effect of a run, or lets it go on; true for here. @throws {TroupeError} `run.ended` */
export const holdRun = (serving: Serving, found: FoundRun, kind: 'pause' | 'resume'): Promise<boolean> =>
  hereOrElsewhere(serving, found, {
    here: ({ handle }) => {
      handle[kind]();
    },
    elsewhere: (store, runId) => post(serving, store, runId, { kind }),
  });

const storeOf = ({ store }: Serving): JournalStore => {
  if (store === undefined) throw storeMissing('read a stored run');
  return store;
};

interface Ways {
  readonly here: (run: LiveRun) => void;
  readonly elsewhere: (store: JournalStore, runId: string) => Promise<void>;
}

/** Does something to a run here, where it is resumed if need be, or by a letter to the process that has it; true for here. */
const hereOrElsewhere = async (
  serving: Serving,
  found: FoundRun,
  { here, elsewhere }: Ways,
): Promise<boolean> => {
  let run: LiveRun;
  try {
    run = await serving.runs.reach(found);
  } catch (thrown) {
    if (found.live !== undefined || !isTroupeError(thrown, 'journal.held')) throw thrown;
    const { runId } = found.stored;
    await elsewhere(storeOf(serving), runId);
    return false;
  }
  if (run.isOver) throw endedRun(run.runId);
  here(run);
  return true;
};

const post = (serving: Serving, store: JournalStore, runId: string, letter: LetterContent): Promise<void> => {
  const { redactor, clock, run } = serving;
  const { secretKey } = run;
  return sendLetter(store, runId, letter, {
    redactor,
    clock,
    ...(secretKey === undefined ? {} : { secretKey }),
  });
};
