import { oneLine } from '../../drawing/plain-text.ts';
import type { Trace } from '../../traces/trace.ts';
import { several } from '../../../base/text/number-words.ts';
import { traceInPage } from '../../traces/recorded/trace-in-page.ts';
import { traceInText } from '../../traces/trace-in-text.ts';
import { recordingOf } from '../../traces/recorded/trace-recording.ts';
import { titleOf } from '../../traces/trace-text.ts';
import type { Embedded, RunRow } from '../session.ts';

/** A file with a run, as the page shows it. */
export interface OpenedFile {
  readonly row: RunRow;
  readonly embedded: Embedded;
}

/** The largest file that is opened, in bytes: all of it is in the memory of the page. */
export const MOST_BYTES = 64 * 1024 * 1024;

/** A file, as the browser gives it. */
export interface GivenFile {
  readonly name: string;
  readonly size: number;
  text(): Promise<string>;
}

/** A file that was read, or why it is not shown. */
export type FileReading = { readonly opened: OpenedFile } | { readonly refusal: string };

/** Reads a trace, an exported journal, or a page that has a run in it: nothing of it leaves the page, and nothing in it is taken on trust. */
export const readRunFile = async (file: GivenFile): Promise<FileReading> => {
  const name = oneLine(file.name, 80);
  const refuse = (reason: string): FileReading => ({ refusal: `Cannot open ${name} as ${reason}` });
  if (file.size > MOST_BYTES)
    return refuse(
      `it has ${Math.ceil(file.size / 1024 / 1024)} MB, and a page takes 64 MB at most: show it by troupe inspect FILE`,
    );
  try {
    const text = await file.text();
    const isPage = /^\s*</.test(text);
    const trace = isPage ? traceInPage(text, name) : traceInText(text, { name, isGone: () => false });
    if (trace.events.length === 0)
      return refuse(
        `no event of a run can be read in it (${several(trace.damage.length, isPage ? 'damaged event' : 'damaged line')}): export the run again`,
      );
    return { opened: openedFile(trace) };
  } catch (thrown) {
    // A value that is nested without end, or a file that was removed meanwhile.
    const message = thrown instanceof Error ? oneLine(thrown.message, 400) : 'it cannot be read';
    return {
      refusal: message.startsWith('Cannot ') ? message : `Cannot open ${name} as it is damaged: ${message}`,
    };
  }
};

const openedFile = (trace: Trace): OpenedFile => {
  const { account, damage } = trace;
  const recording = recordingOf(trace.events, trace.resumed);
  const { runId: run, agent, input, startedAt, endedAt, totals, counts } = account;
  const row: RunRow = {
    run,
    agent,
    title: titleOf(input),
    // A file does not go on, whatever its run does.
    status: endedAt === undefined ? 'not ended' : account.status,
    isLive: false,
    source: 'file',
    startedAt,
    durationMs: totals.durationMs,
    tokens: totals.inputTokens + totals.outputTokens,
    costUsd: totals.costUsd,
    errors: counts.errors,
  };
  // The recording was just made of events that were checked.
  const base = JSON.parse(recording.base()) as Embedded['base'];
  const entries = [...recording.from()].map((line) => JSON.parse(line) as Embedded['entries'][number]);
  const session = { control: false, version: '', runs: [row] };
  return { row, embedded: { session, base, entries, account, damage } };
};
