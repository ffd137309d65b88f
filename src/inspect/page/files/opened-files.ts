import { signal } from '@preact/signals';
import type { OpenedFile } from './read-run-file.ts';

/** The files that were opened in the page, by run, for as long as it lives. */
export const openedFiles = signal<ReadonlyMap<string, OpenedFile>>(new Map());
