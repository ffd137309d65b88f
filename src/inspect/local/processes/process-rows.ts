import * as z from 'zod';
import type { ForkPoint } from '../../../contracts/journals/journal-record.ts';
import type { LiveEvent } from '../../../contracts/events/event.ts';
import { breakpointSchema } from '../../recording/breakpoint.ts';
import { RunBook, statusAtEnd } from '../../recording/run-book.ts';
import type { ChangedRows } from '../runs-index.ts';
import type { ListedRun } from '../session-board.ts';

const name = z.string().min(1).max(2_000);
const text = z.string().max(4_000);
const figure = z.number().optional();

const forkSchema: z.ZodType<ForkPoint> = z.object({
  runId: name,
  seq: z.number(),
  path: text.optional(),
  step: figure,
  changed: z
    .object({
      seq: z.number(),
      type: z.enum(['model.answered', 'tool.finished', 'message.sent']),
      key: text.optional(),
    })
    .optional(),
});

const rowSchema: z.ZodType<ListedRun> = z.object({
  run: name,
  agent: text,
  isLive: z.boolean(),
  status: text,
  title: text,
  source: z.enum(['live', 'stored']),
  startedAt: z.number(),
  isKept: z.boolean(),
  breakpoints: z.array(breakpointSchema).max(1_000).optional(),
  fork: forkSchema.optional(),
  durationMs: figure,
  tokens: figure,
  costUsd: figure,
  errors: figure,
  requests: figure,
});

/** The most rows that one process may have. */
const MOST = 10_000;

/** Parses what another process says of its runs. @throws {z.ZodError} */
export const rowsSchema: z.ZodType<ChangedRows> = z.object({
  version: z.number(),
  isWhole: z.boolean(),
  rows: z.array(rowSchema).max(MOST),
});

/** The status of a run whose process ended before it. */
const PROCESS_ENDED = 'process ended';

/** The rows of a process: as it says them while it lives, and then as its events left them. */
export class ProcessRows {
  #rows = new Map<string, ListedRun>();
  #version: number | undefined;
  // What it sends is redacted.
  readonly #book = new RunBook((text) => text);
  readonly #tellers = new Map<string, ReturnType<RunBook['begins']>>();
  /** Of runs whose beginning was not seen. */
  readonly #ends = new Map<string, string>();
  #now = 0;

  /** The version that was taken in last; undefined before. */
  get version(): number | undefined {
    return this.#version;
  }

  get all(): readonly ListedRun[] {
    return [...this.#rows.values()];
  }

  at(run: string): ListedRun | undefined {
    return this.#rows.get(run);
  }

  take({ version, isWhole, rows }: ChangedRows): void {
    if (isWhole) this.#rows = new Map();
    for (const row of rows)
      if (this.#rows.size < MOST || this.#rows.has(row.run)) this.#rows.set(row.run, row);
    this.#version = version;
  }

  /** Takes in an event: the row that says so may never come. */
  takeEvent(event: LiveEvent): void {
    const { runId, agent, at } = event;
    this.#now = at;
    if (event.type === 'run.started' && this.#tellers.size < MOST)
      this.#tellers.set(runId, this.#book.begins({ runId, agent, now: () => this.#now }));
    this.#tellers.get(runId)?.(event, at);
    if (event.type !== 'run.ended') return;
    if (!this.#tellers.delete(runId) && this.#ends.size < MOST) this.#ends.set(runId, statusAtEnd(event));
  }

  /** The process is gone: what it ran is over, and its store is not here any more. */
  close(): void {
    const asked = this.all.filter(({ source }) => source === 'live');
    const rows = new Map(
      asked.map((row) => [row.run, { ...row, status: this.#ends.get(row.run) ?? row.status }] as const),
    );
    for (const { runId: run, ...about } of this.#book.runs) {
      const isLive = about.status === 'running' || about.status === 'paused';
      rows.set(run, { isKept: false, ...rows.get(run), run, source: 'live', ...about, isLive });
    }
    this.#rows = new Map(
      [...rows].map(([run, row]) => {
        const isCut = row.isLive && !this.#ends.has(run);
        return [run, { ...row, isLive: false, requests: 0, status: isCut ? PROCESS_ENDED : row.status }];
      }),
    );
  }
}
