import { createHash } from 'node:crypto';
import { escapedJson } from '../../../base/text/printable.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Session } from '../../page/session.ts';
import type { Trace } from '../trace.ts';
import { RECORDING_ID } from '../recorded/trace-in-page.ts';
import { titleOf } from '../trace-text.ts';

/** The options of a page. */
export interface PageOptions {
  /** HTML to show in place of the inspector's page: what is shown stands in it as JSON, in a block with the id `recording`. */
  readonly page?: string | undefined;
}

/** A run as one page, for a browser: the inspector's, with the recording in it. See `formatTrace`. */
export const traceAsHtml = async (trace: Trace, options?: PageOptions): Promise<string> =>
  sealPage(await tracePage(trace, options));

/** The page of a run as a server gives it: with a place for the nonce of its scripts and styles, and no policy of its own. */
export const tracePage = async (trace: Trace, { page }: PageOptions = {}): Promise<string> => {
  // A process that only reads traces loads neither machines nor the inspector.
  const [{ recordingOf }, { pageText }] = await Promise.all([
    import('../recorded/trace-recording.ts'),
    import('../../local/page-text.ts'),
  ]);
  const recording = recordingOf(trace.events, trace.resumed);
  const { account, damage, events } = trace;
  const parts = [
    `"session":${JSON.stringify(sessionOf(trace))}`,
    `"account":${JSON.stringify(account)}`,
    `"damage":${JSON.stringify(damage)}`,
    // The recording has moves in their place: a page that opens this one as a file reads them.
    `"phases":${JSON.stringify(events.filter(({ type }) => type === 'phase.entered'))}`,
    `"base":${recording.base()}`,
    `"entries":[${[...recording.from()].join(',')}]`,
  ];
  // Nothing that somebody said ends the block, or takes the place of the nonce.
  const data = escapedJson(`{${parts.join(',')}}`)
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('__NONCE__', String.raw`__NONC\u0045__`);
  return (page ?? (await pageText()))
    .replace(FILE_READER, '')
    .replace(
      '<body>',
      (body) => `${body}\n<script type="application/json" id="${RECORDING_ID}">${data}</script>`,
    );
};

/** A page that has its run opens no files. */
const FILE_READER = /globalThis\.troupeFileReaderText=".*";\n/;

const sessionOf = ({ account: { runId, agent, status, input } }: Trace): Session => ({
  control: false,
  version: '',
  runs: [{ run: runId, agent, isLive: false, status, title: titleOf(input), source: 'stored' }],
});

/** Lets no script or style of a page count but its own, where no server says so. */
const sealPage = (page: string): string => {
  const plain = page.replaceAll(' nonce="__NONCE__"', '');
  const policy = [
    "default-src 'none'",
    `script-src ${hashIn(plain, 'script')}`,
    `style-src ${hashIn(plain, 'style')}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return plain.replace(
    '<meta charset="utf-8">',
    (meta) => `${meta}\n<meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
};

const hashIn = (page: string, tag: 'script' | 'style'): string => {
  const found = new RegExp(`<${tag}(?! type="application/json")[^>]*>([^]*?)</${tag}>`).exec(page)?.[1];
  if (found === undefined)
    throw new TroupeError('inspector.page-missing', `Cannot show the trace as the page has no ${tag}`);
  return `'sha256-${createHash('sha256').update(found).digest('base64')}'`;
};
