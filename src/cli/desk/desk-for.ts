import type { Budget } from '../../contracts/runs/budget.ts';
import { notesMemory } from '../../memory/memories/notes-memory.ts';
import { folderStore } from '../../persistence/folder-store.ts';
import type { EmbeddableAgent } from '../../runtime/define/embeddable-agent.ts';
import type { Documents } from '../../tools/built-in/documents/documents-toolset.ts';
import { documents } from '../../tools/built-in/documents/documents.ts';
import { researchDesk } from './research-desk.ts';

/** The documents and working folder of a desk. All paths are absolute. */
export interface DeskPlace {
  readonly folders: string | readonly string[];
  readonly ignored?: readonly string[] | undefined;
  /** In US dollars. */
  readonly budget?: number | undefined;
  /** A folder. */
  readonly memory?: string | undefined;
}

/** The research desk of the command line, and what it searches. */
export const deskFor = (
  { folders, ignored, budget, memory }: DeskPlace,
  signal: AbortSignal,
): { readonly desk: EmbeddableAgent<string, string>; readonly library: Documents } => {
  const library = documents(folders, { signal, ignoredFolders: ignored });
  const spent: Budget = budget === undefined ? {} : { usd: budget };
  const remembered = memory === undefined ? undefined : notesMemory({ files: folderStore(memory) });
  return { desk: researchDesk({ documents: library, budget: spent, memory: remembered }), library };
};
