import type { Artifact, StreamResponse, TaskState } from '@a2a-js/sdk';
import { onSignal } from '../../runtime/run/shared-signal.ts';
import type { DeltaEvent, LiveEvent } from '../../contracts/events/event.ts';
import { textPart } from '../wire-parts.ts';
import { artifactOf } from './task-story.ts';
import type { TaskStory } from './task-story.ts';

/** The way in which updates of a task are sent. */
export interface UpdateOptions {
  readonly taskId: string;
  readonly contextId: string;
  /** The path of the agent whose text is the answer; undefined where it is no text. */
  readonly answersAt: string | undefined;
  /** True for a state that ends the updates. */
  readonly endsIn: (state: TaskState) => boolean;
  /** Aborted when nobody wants any more of them. */
  readonly signal: AbortSignal;
}

/**
 * Tells a task as it goes on: what it is now, each change of its status, its answer in pieces, and the whole at the end.
 *
 * It ends with the task, or where that waits for its client.
 * A piece that follows what was discarded replaces the text so far, as does the whole: so a client that keeps to `append` never has the wrong text.
 */
export async function* updatesOf(
  story: TaskStory,
  events: AsyncIterator<LiveEvent, undefined>,
  options: UpdateOptions,
): AsyncGenerator<StreamResponse, void, undefined> {
  const draft = new AnswerDraft();
  try {
    for (;;) {
      const event = await nextUnless(events, options.signal);
      if (event === undefined) return;
      if (event.type === 'model.delta') {
        const piece = event.path === options.answersAt ? draft.add(event) : undefined;
        if (piece !== undefined) yield artifactUpdate(piece.artifact, piece.isAppended, false, options);
        continue;
      }
      if ('key' in event) draft.end(event);
      if (!story.hear(event)) continue;
      const answer = await story.artifact();
      if (answer !== undefined) yield artifactUpdate(answer, false, true, options);
      yield statusUpdate(story, options);
      if (story.isOver || options.endsIn(story.state)) return;
    }
  } finally {
    await events.return?.();
  }
}

/** The next event; undefined at the end, and when nobody wants it any more. */
const nextUnless = async (
  events: AsyncIterator<LiveEvent, undefined>,
  signal: AbortSignal,
): Promise<LiveEvent | undefined> => {
  if (signal.aborted) return undefined;
  let forget: () => void = () => undefined;
  const gone = new Promise<undefined>((resolve) => {
    forget = onSignal(signal, () => {
      resolve(undefined);
    });
  });
  try {
    const next = await Promise.race([events.next(), gone]);
    return next?.value;
  } finally {
    forget();
  }
};

/** The text of an answer under way. */
class AnswerDraft {
  #key: string | undefined;
  #length = 0;
  /** True if a client has a text that the next piece does not continue. */
  #isStale = true;

  add({
    key,
    delta,
    offset,
  }: DeltaEvent): { readonly artifact: Artifact; readonly isAppended: boolean } | undefined {
    if (delta.type !== 'text' || delta.text === '') return undefined;
    if (key !== this.#key || (offset !== undefined && offset !== this.#length)) {
      this.#isStale = true;
      this.#length = offset ?? 0;
    }
    // Of a text whose beginning was missed, the whole will come at the end.
    if (this.#isStale && (offset ?? 0) > 0) return undefined;
    const isAppended = !this.#isStale;
    this.#key = key;
    this.#isStale = false;
    this.#length += delta.text.length;
    return { artifact: artifactOf([textPart(delta.text)]), isAppended };
  }

  /** The text of a call is done, or was discarded: what follows is another one. */
  end({ key }: { readonly key: string }): void {
    if (key === this.#key) this.#isStale = true;
  }
}

const artifactUpdate = (
  artifact: Artifact,
  append: boolean,
  lastChunk: boolean,
  { taskId, contextId }: UpdateOptions,
): StreamResponse => ({
  payload: {
    $case: 'artifactUpdate',
    value: { taskId, contextId, artifact, append, lastChunk, metadata: undefined },
  },
});

const statusUpdate = (story: TaskStory, { taskId, contextId }: UpdateOptions): StreamResponse => ({
  payload: {
    $case: 'statusUpdate',
    value: { taskId, contextId, status: story.status(), metadata: undefined },
  },
});
