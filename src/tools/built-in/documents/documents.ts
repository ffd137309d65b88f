import { documentsToolset, type Documents } from './documents-toolset.ts';

/** Limits and filters on documents. */
export interface DocumentsOptions {
  /** Name of the toolset. Default `documents`. */
  readonly name?: string | undefined;
  /** Larger files are skipped, in bytes. Default 2,000,000. */
  readonly maxFileBytes?: number | undefined;
  /** Total size in bytes beyond which files are skipped; memory use is about six times the size read. Default 100,000,000. */
  readonly maxTotalBytes?: number | undefined;
  /** Folders passed over, by name. Default `['node_modules']`; folders that start with a dot always are. */
  readonly ignoredFolders?: readonly string[] | undefined;
  /**
   * Files that contain keys by their name (`.env`, `id_rsa`, `*.pem`, `.npmrc` …) or their content (a private key):
   * `skip` (default) or `read`. A file that is listed explicitly is read.
   */
  readonly secretFiles?: 'skip' | 'read' | undefined;
  /** Files with more than one hard link, which may exist outside of the folder, too: `skip` (default) or `read`. */
  readonly hardLinks?: 'skip' | 'read' | undefined;
  /** Aborting it ends the reading of the files. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tools to search the text files of a folder and to read from them: `search_documents` and `read_passage`.
 *
 * The folder is read once, before the first step of the first run, and held in memory: only a new toolset sees later
 * changes. So no path that a model makes up is ever opened. Binary, huge and linked files are skipped, and those that
 * contain keys; `report()` lists them with the reason.
 *
 * @param folder A folder, or a list of folders and files; with a list, paths start with the name of each.
 * @throws `documents.unreadable` (when used) if there is no such folder, or it contains no readable text.
 *
 * @example
 * const handbook = documents('./handbook');
 * const clerk = agent({ name: 'clerk', instructions: 'Answer from the documents.', tools: [handbook] });
 * await clerk.run('How many days of leave are there?');
 * (await handbook.report()).skipped; // => [{ path: 'logo.png', reason: 'not text (UTF-8)' }]
 */
export const documents = (folder: string | readonly string[], options: DocumentsOptions = {}): Documents => {
  const limits = {
    maxFileBytes: options.maxFileBytes ?? 2_000_000,
    maxTotalBytes: options.maxTotalBytes ?? 100_000_000,
    ignoredFolders: options.ignoredFolders ?? ['node_modules'],
    readsSecretFiles: options.secretFiles === 'read',
    readsHardLinks: options.hardLinks === 'read',
    signal: options.signal,
  };
  return documentsToolset(
    [folder].flat().join(', '),
    async function* read(skipped) {
      // Loaded on first use: everything else also runs where there is no file system.
      const { readFolders } = await import('./document-folder.ts');
      yield* readFolders(folder, limits)(skipped);
    },
    options,
  );
};
