import type { MediaPart } from '../../contracts/content/part.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { InspectedRun } from '../../contracts/events/inspection.ts';

/** Runs whose media can be read: one without a store holds their bytes in memory as long. */
const MOST = 20;

/** The media of the runs that were recorded last. */
export class RunMedia {
  readonly #runs = new Map<string, InspectedRun['bytesOf']>();

  begins({ runId, bytesOf }: InspectedRun): void {
    this.#runs.delete(runId);
    this.#runs.set(runId, bytesOf);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > MOST && oldest !== undefined) this.#runs.delete(oldest);
  }

  /** Reads the bytes of a part. Rejects with `content.missing`. */
  bytesOf(runId: string, part: MediaPart): Promise<Uint8Array> {
    const read = this.#runs.get(runId);
    if (read !== undefined) return read(part);
    const message = `Cannot read media of run '${runId}' as it is not one of the last ${MOST} that were recorded here`;
    return Promise.reject(new TroupeError('content.missing', message, { runId }));
  }
}
