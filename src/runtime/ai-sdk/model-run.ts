import { toJson } from '../../base/json/json.ts';
import { errorData, isTroupeError, toError, TroupeError } from '../../contracts/errors/error.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { GivenBlobs } from '../content/read-given.ts';
import type { Definition } from '../define/definition.ts';
import { startRun } from '../run/start-run.ts';
import { asCallError } from './call-error.ts';
import type { ModelFold } from './model-fold.ts';
import type { StreamedPart } from './model-part.ts';

/** A run to start for a call. */
export interface AskedRun {
  readonly definition: Definition;
  readonly input: unknown;
  /** The bytes of media in its input and history. */
  readonly blobs: GivenBlobs;
  readonly options: RunOptions;
  readonly fold: ModelFold;
}

/** The run behind one call of an agent as a language model. */
export class ModelRun {
  readonly #asked: AskedRun;
  readonly #fold: ModelFold;
  readonly #handle: RunHandle<unknown, unknown>;
  #hasActed = false;
  #isOver = false;

  /** @throws {TroupeError} what a run is refused with. */
  constructor(asked: AskedRun) {
    const { definition, input, blobs, options, fold } = asked;
    this.#asked = asked;
    this.#fold = fold;
    this.#handle = startRun<unknown, unknown>(definition, input, options, { isAttended: true, blobs });
    // Read below; a run that is cancelled has no reader.
    this.#handle.result.catch(() => {});
  }

  /** Aborts the run: nobody reads on. */
  cancel(): void {
    if (!this.#isOver) this.#handle.abort('nobody reads its answer any more');
  }

  /**
   * The parts of the answer. Events are taken from the run's log as they are read, and the number of waiting deltas is limited:
   * a slow reader costs no more than the run itself.
   *
   * @throws the reason of the signal, if it aborted the run.
   */
  async *parts(): AsyncGenerator<StreamedPart, void> {
    const { signal } = this.#asked.options;
    try {
      for await (const event of this.#handle) {
        if (event.type === 'tool.started') this.#hasActed = true;
        if (event.type === 'run.ended') {
          this.#isOver = true;
          if (event.status === 'aborted') signal?.throwIfAborted();
        }
        for (const part of this.#fold.take(event)) yield this.#marked(part);
        if (this.#waitsFor(event)) {
          yield* this.#fold.fail(await this.#leave());
          return;
        }
      }
      if (!this.#isOver) yield* this.#refused();
    } finally {
      this.cancel();
    }
  }

  /** Nobody can answer within a call, unless there is a person; an event that is read late may be of an answered request. */
  #waitsFor(event: LiveEvent): boolean {
    if (this.#isOver || this.#asked.options.person !== undefined) return false;
    switch (event.type) {
      case 'tool.approval-requested':
      case 'tool.ambiguous':
      case 'person.asked':
        return this.#handle.requests.some(({ id }) => id === event.id);
      default:
        return false;
    }
  }

  /** Suspends a stored run, aborts any other; returns the error that says what it waits for. */
  async #leave(): Promise<TroupeError> {
    const { definition, options } = this.#asked;
    const { runId, requests } = this.#handle;
    const found = requests.map((request) =>
      request.kind === 'question'
        ? `${request.id} ("${request.question}")`
        : `${request.id} (${request.description})`,
    );
    const waits = `Cannot answer as '${definition.name}' waits for a person: ${found.join(', ')}`;
    const details = { requests: toJson(requests) };
    if (options.store === undefined) {
      this.cancel();
      const advice = 'The run is aborted: give a `person` that answers, or a `store` to resume it from';
      return new TroupeError('run.aborted', `${waits}. ${advice}`, { runId, details });
    }
    this.#isOver = true;
    await this.#handle.suspend();
    const advice = `Run '${runId}' is suspended: answer by \`answerRequest\`, then \`resume\` it`;
    return new TroupeError('run.suspended', `${waits}. ${advice}`, { runId, details });
  }

  /** The end of a run that never had one of its own: its journal refused it, or another process suspended it. */
  async *#refused(): AsyncGenerator<StreamedPart, void> {
    this.#isOver = true;
    try {
      await this.#handle.result;
    } catch (thrown) {
      yield* this.#fold.fail(isTroupeError(thrown) ? thrown : toError(errorData(thrown, 'internal')));
    }
  }

  /** A run is repeated only if it has done nothing so far, and may have another id. */
  #marked(part: StreamedPart): StreamedPart {
    if (part.type !== 'error' || !isTroupeError(part.error) || !part.error.code.startsWith('model.'))
      return part;
    const isRepeatable = !this.#hasActed && this.#asked.options.runId === undefined;
    return { type: 'error', error: asCallError(part.error, isRepeatable && part.error.retryable === 'yes') };
  }
}
