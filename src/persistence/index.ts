/** Stores outside the process, for runs, threads and memories. Node only, apart from `memoryStore`. */

// Stores
export { folderBlobs } from './folder-blobs.ts';
export { folderStore } from './folder-store.ts';
export { memoryStore } from './memory-store.ts';
export { sqliteStore } from './sqlite/sqlite-store.ts';
export { postgresStore } from './postgres/postgres-store.ts';

// Journals as files
export { exportJournal, readJournalFile } from './journal-file.ts';
export { journalText, readJournalText } from './run-log.ts';

// The contract, for a store of your own
export type {
  JournalCommit,
  JournalRow,
  JournalStore,
  Lease,
  Letter,
  RunEntry,
  RunQuery,
} from '../contracts/journals/journal.ts';
