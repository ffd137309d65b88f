import type { MediaPart } from '../../contracts/content/part.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { InspectedRun } from '../../contracts/events/inspection.ts';

type Read = InspectedRun['bytesOf'];

/** Runs that are over and whose media can be read: one without a store holds their bytes in memory as long. */
const MOST_OVER = 20;

/** The media of the runs in progress, and of those that ended last. */
export class RunMedia {
  readonly #live = new Map<string, Read>();
  readonly #over = new Map<string, Read>();

  begins({ runId, bytesOf }: Pick<InspectedRun, 'runId' | 'bytesOf'>): void {
    this.#over.delete(runId);
    this.#live.set(runId, bytesOf);
  }

  ends(runId: string): void {
    const read = this.#live.get(runId);
    if (read === undefined) return;
    this.#live.delete(runId);
    this.#over.set(runId, read);
    const [oldest] = this.#over.keys();
    if (this.#over.size > MOST_OVER && oldest !== undefined) this.#over.delete(oldest);
  }

  /** Reads the bytes of a part. Rejects with `content.missing`. */
  bytesOf(runId: string, part: MediaPart): Promise<Uint8Array> {
    const read = this.#live.get(runId) ?? this.#over.get(runId);
    if (read !== undefined) return read(part);
    const message = `Cannot read media of run '${runId}' as it is neither in progress here nor one of the last ${MOST_OVER} that ended`;
    return Promise.reject(new TroupeError('content.missing', message, { runId }));
  }
}
