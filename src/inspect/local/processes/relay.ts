import * as z from 'zod';
import { isJsonObject } from '../../../base/json/json.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { Recorder } from '../../recording/recorder.ts';
import { parseJson } from '../../sinks/parse-json.ts';
import type { Company } from '../company.ts';
import { isAside } from '../control.ts';
import { bodyOf } from './ask-process.ts';
import type { OtherProcess } from './other-process.ts';
import type { OtherProcesses } from './other-processes.ts';

/** A command, as a page has sent it. */
export interface SentCommand {
  readonly body: string;
  /** The page. */
  readonly by: string;
  /** The process that the page shows; undefined: this one. */
  readonly process: string | undefined;
  readonly signal: AbortSignal;
}

/** The answer of another process. */
export interface RelayedAnswer {
  readonly status: number;
  /** JSON. */
  readonly text: string;
}

/** The needs of a relay. */
export interface RelaySetup {
  readonly others: OtherProcesses;
  readonly recorder: Pick<Recorder, 'runs'>;
  readonly store: JournalStore | undefined;
  readonly company: Company;
}

/** The longest answer to a command, and the most bytes of media, in bytes. */
const MOST_TEXT = 16 * 1024 * 1024;
const MOST_MEDIA = 256 * 1024 * 1024;

/** Passes on what a page wants of the runs of other processes: each decides by itself what it allows. */
export class Relay {
  readonly #setup: RelaySetup;

  constructor(setup: RelaySetup) {
    this.#setup = setup;
  }

  /** The other process that has a run; undefined where it is this one's. */
  async holderOf(run: string): Promise<OtherProcess | undefined> {
    const { others, recorder, store } = this.#setup;
    if (recorder.runs.some(({ runId }) => runId === run)) return undefined;
    const holder = others.holderOf(run);
    if (holder === undefined || holder.runs(run)) return holder;
    return (await store?.entry(run)) === undefined ? holder : undefined;
  }

  /** Passes a command on; undefined where it is for this process. @throws {TroupeError} `inspector.failed` */
  async command({ body, by, process, signal }: SentCommand): Promise<RelayedAnswer | undefined> {
    const given = parseJson(body);
    const { run, do: what } = isJsonObject(given) ? given : {};
    const isOfRun = typeof run === 'string';
    const holder = isOfRun ? await this.holderOf(run) : this.#setup.others.at(process ?? '');
    if (holder === undefined) return undefined;
    const path = `/api/control?relay&page=${encodeURIComponent(by)}`;
    const response = await holder.ask({ path, body, signal });
    const text = (await bodyOf(response, MOST_TEXT)).toString('utf8');
    const { statusCode: status = 502 } = response;
    if (status === 200 && typeof what === 'string' && !isAside({ do: what }))
      this.#setup.company.tell({ by, do: what, run: isOfRun ? run : undefined });
    return { status, text };
  }

  /** The bytes of media of a run; undefined where they are this process's. @throws {TroupeError} `inspector.failed`, `content.missing` */
  async content(run: string, hash: string): Promise<Uint8Array | undefined> {
    const holder = await this.holderOf(run);
    if (holder === undefined) return undefined;
    const response = await holder.ask({ path: `/api/content/${encodeURIComponent(run)}/${hash}?relay` });
    if (response.statusCode === 200) return bodyOf(response, MOST_MEDIA);
    throw missing(await bodyOf(response, MOST_TEXT));
  }
}

const refusalSchema = z.object({ error: z.object({ message: z.string().max(2_000) }) });

const missing = (body: Buffer): TroupeError => {
  const { data } = refusalSchema.safeParse(parseJson(body.toString('utf8')));
  return new TroupeError(
    'content.missing',
    data?.error.message ?? 'Cannot show these bytes as their process does not give them',
  );
};
