import * as z from 'zod';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Tool, Toolset } from '../../../contracts/tools/tool.ts';
import { tool } from '../../define/define-tool.ts';
import { dual } from '../../calls/tool-result.ts';
import type { DocumentIndex, FoundPassage } from './document-index.ts';

/** A file that was not read, and why. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

/** Documents that were read, and files that were skipped. */
export interface DocumentsReport {
  readonly files: number;
  readonly passages: number;
  readonly skipped: readonly SkippedFile[];
}

/** The document tools, with a report on what was read. */
export interface Documents extends Toolset {
  /** Returns what was read and skipped. Reads the documents if necessary; rejects with `documents.unreadable`. */
  report(): Promise<DocumentsReport>;
}

/** Yields documents as path and text, one at a time, and reports skipped files. */
export type DocumentSource = (
  skipped: (file: SkippedFile) => void,
) => AsyncIterable<readonly [string, string]> | Iterable<readonly [string, string]>;

interface Read {
  readonly index: DocumentIndex;
  readonly report: DocumentsReport;
}

/** Time of uninterrupted indexing before it yields to the event loop, in ms. */
const WORK_MS = 10;

/** The toolset over any source of documents; `place` is how errors call it. */
export const documentsToolset = (
  place: string,
  source: DocumentSource,
  options: { readonly name?: string | undefined; readonly signal?: AbortSignal | undefined },
): Documents => {
  let reading: Promise<Read> | undefined;
  const read = (): Promise<Read> => {
    reading ??= readSource(place, source, options.signal).catch((error: unknown) => {
      // The folder may exist next time.
      reading = undefined;
      throw error;
    });
    return reading;
  };
  const index = async (): Promise<DocumentIndex> => (await read()).index;
  return {
    name: options.name ?? 'documents',
    tools: [searchTool(index), readTool(index)],
    setup: async () => {
      await read();
    },
    report: async () => (await read()).report,
  };
};

const readSource = async (
  place: string,
  source: DocumentSource,
  signal: AbortSignal | undefined,
): Promise<Read> => {
  // Loaded when documents are read, not with the package.
  const { DocumentIndex: Index } = await import('./document-index.ts');
  const index = new Index();
  const skipped: SkippedFile[] = [];
  let restedAt = performance.now();
  for await (const [path, text] of source((file) => skipped.push(file))) {
    for (const _ of index.add(path, text)) {
      if (performance.now() - restedAt < WORK_MS) continue;
      await rest();
      signal?.throwIfAborted();
      restedAt = performance.now();
    }
  }
  if (index.passages === 0) {
    throw new TroupeError(
      'documents.unreadable',
      `Cannot search ${place} as there is no readable text: ${skipped.length} skipped${reasonsOf(skipped)}`,
    );
  }
  return { index, report: { files: index.files, passages: index.passages, skipped } };
};

const rest = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 0);
  });

const reasonsOf = (skipped: readonly SkippedFile[]): string => {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))].slice(0, 3);
  return reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
};

const formatPassage = ({ citation, heading, text }: Omit<FoundPassage, 'score'>): string =>
  `[${citation}]${heading === '' ? '' : ` ${heading}`}\n${text}`;

const searchTool = (index: () => Promise<DocumentIndex>): Tool =>
  tool({
    name: 'search_documents',
    description:
      'Search the documents for passages about something. Gives the best passages, each under its citation ' +
      '[path:first-last line]. Use few, telling words; search again with others if nothing fits.',
    safety: 'read',
    input: z.object({
      query: z.string().min(1).describe('The words to search for'),
      limit: z.number().int().min(1).max(20).default(6).describe('Most passages to give'),
    }),
    category: 'documents',
    tags: ['search', 'read'],
    describe: ({ query }) => `Searching the documents for “${query}”`,
    execute: async ({ query, limit }) => {
      const passages = (await index()).search(query, limit);
      const count = `${passages.length} passage${passages.length === 1 ? '' : 's'}`;
      return dual({
        text:
          passages.length === 0
            ? `No passage was found for “${query}”.`
            : `${count} for “${query}”:\n\n${passages.map(formatPassage).join('\n\n')}`,
        value: passages,
      });
    },
  });

const readTool = (index: () => Promise<DocumentIndex>): Tool =>
  tool({
    name: 'read_passage',
    description:
      'Read lines of one document: those of a citation as search_documents gives it, or of a path with from and to. ' +
      'Gives at most 200 lines.',
    safety: 'read',
    input: z.object({
      citation: z.string().optional().describe('path:first-last, as a search printed it'),
      path: z.string().optional().describe('Path of a document, in place of a citation'),
      from: z.number().int().min(1).optional().describe('First line, from 1'),
      to: z.number().int().min(1).optional().describe('Last line'),
    }),
    category: 'documents',
    tags: ['read'],
    describe: ({ citation, path }) => `Reading ${citation ?? path ?? 'a document'}`,
    execute: async ({ citation, path, from, to }) => {
      const cited = citation === undefined ? undefined : parseCitation(citation);
      const wanted = cited?.path ?? path;
      if (wanted === undefined) {
        throw new TroupeError(
          'documents.unreadable',
          'Cannot read a passage as neither a citation nor a path was given: give one of them',
        );
      }
      const passage = (await index()).read(wanted, from ?? cited?.from, to ?? cited?.to);
      return dual({ text: formatPassage(passage), value: passage });
    },
  });

/** `path:3-9`, `path:3` or a path alone, in brackets or not. */
const parseCitation = (citation: string): { path: string; from?: number; to?: number } => {
  const plain = citation.trim().replace(/^\[(.*)\]$/, '$1');
  const found = /^(.+):(\d+)(?:-(\d+))?$/.exec(plain);
  if (found?.[1] === undefined) return { path: plain };
  return { path: found[1], from: Number(found[2]), to: Number(found[3] ?? found[2]) };
};
