import { documentsToolset, type Documents } from './documents-toolset.ts';

export type { Documents, DocumentsReport, SkippedFile } from './documents-toolset.ts';

/**
 * The document tools over texts in memory: for browsers, tests, and documents from other sources.
 *
 * Texts are split and indexed when a run first needs them, not here. Paths are names only: nothing is opened.
 *
 * @param texts The documents by path. A document ending in `.md` is split at its headings.
 * @param options.name Name of the toolset. Default `documents`.
 * @throws `documents.unreadable` (when used) if there is no text at all.
 *
 * @example
 * const handbook = documentsFrom({ 'leave.md': '# Leave\nEverybody has 30 days.' });
 * const clerk = agent({ name: 'clerk', tools: [handbook] });
 */
export const documentsFrom = (
  texts: Readonly<Record<string, string>>,
  options: { readonly name?: string | undefined } = {},
): Documents =>
  documentsToolset(
    'the documents given',
    function* given(skipped) {
      for (const [path, text] of Object.entries(texts)) {
        if (text.trim() === '') skipped({ path, reason: 'empty' });
        else yield [path, text] as const;
      }
    },
    options,
  );
