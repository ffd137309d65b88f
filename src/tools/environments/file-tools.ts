import * as z from 'zod';
import { absentFile } from '../../contracts/environments/absent-file.ts';
import type { FileOps, FileText } from '../../contracts/environments/operations.ts';
import type { Tool, Toolset } from '../../contracts/tools/tool.ts';
import { tool } from '../define/define-tool.ts';
import { dual } from '../calls/tool-result.ts';
import { opsOf, requiring } from './requiring.ts';
import { searchFiles } from './search-files.ts';

/** Options of the file tools. */
export interface FileToolsOptions {
  /** Default: those of the run's environment. */
  readonly ops?: FileOps | undefined;
  /** Leaves out what changes files. Default false. */
  readonly readOnly?: boolean | undefined;
}

const path = z.string().min(1).describe('Relative path below the root, with forward slashes');

/**
 * The toolset `files`: `files.read`, `files.write`, `files.list` and `files.search`, in the environment of the run.
 *
 * @example
 * agent({ name: 'coder', environment: hostEnvironment({ root: './work' }), tools: [fileTools()] });
 */
export const fileTools = ({ ops, readOnly = false }: FileToolsOptions = {}): Toolset => ({
  name: 'files',
  tools: (readOnly ? READING : [...READING, writeTool]).map((make) => toolWith(make(ops), ops)),
});

/** With operations given here, the run's environment need not have them. */
const toolWith = (made: Tool, ops: FileOps | undefined): Tool =>
  ops === undefined ? requiring(made, 'files') : made;

const readTool = (ops: FileOps | undefined): Tool =>
  tool({
    name: 'read',
    description: 'Reads a text file, or some of its lines.',
    category: 'files',
    safety: 'read',
    input: z.object({
      path,
      from: z.number().int().min(1).optional().describe('First line, from 1'),
      to: z.number().int().min(1).optional().describe('Last line'),
    }),
    describe: ({ path: file }) => `Reading ${file}`,
    execute: async ({ path: file, from, to }, context) => {
      const { text, bytes, isCut } = await readFile(opsOf(context, 'files', ops), file);
      const isPart = from !== undefined || to !== undefined;
      const shown = isPart
        ? text
            .split('\n')
            .slice((from ?? 1) - 1, to)
            .join('\n')
        : text;
      const note = isCut && !isPart ? `\n[cut here: the file has ${bytes} bytes]` : '';
      return dual({ text: `${shown}${note}`, value: { path: file, text: shown, bytes, isCut } });
    },
  });

/** Says in the words that a policy knows that there is no such file, whatever those of the environment are. */
const readFile = async (ops: FileOps, file: string): Promise<FileText> => {
  try {
    return await ops.read(file);
  } catch (thrown) {
    const found = await ops.stat(file).catch(() => null);
    throw found === undefined ? absentFile(file) : thrown;
  }
};

const listTool = (ops: FileOps | undefined): Tool =>
  tool({
    name: 'list',
    description: 'Lists what a folder holds; folders end in /.',
    category: 'files',
    safety: 'read',
    input: z.object({ path: path.default('.') }),
    describe: ({ path: folder }) => `Looking into ${folder}`,
    execute: async ({ path: folder }, context) => {
      const entries = await opsOf(context, 'files', ops).list(folder);
      const marks = { file: '', folder: '/', link: ' (link)', other: ' (special)' };
      const lines = entries.map(({ name, kind }) => `${name}${marks[kind]}`);
      return dual({ text: lines.join('\n') || '(empty)', value: entries });
    },
  });

const searchTool = (ops: FileOps | undefined): Tool =>
  tool({
    name: 'search',
    description:
      'Looks for a text in all files below a folder, as it is (no pattern). Gives path:line: text.',
    category: 'files',
    safety: 'read',
    input: z.object({
      text: z.string().min(1).describe('The text to look for'),
      path: path.default('.'),
      ignoreCase: z.boolean().default(false),
    }),
    describe: ({ text, path: folder }) => `Searching ${folder} for “${text.slice(0, 60)}”`,
    execute: async ({ text, path: folder, ignoreCase }, context) => {
      const limits = { path: folder, ignoreCase, signal: context.signal };
      const found = await searchFiles(opsOf(context, 'files', ops), text, limits);
      const lines = found.hits.map((hit) => `${hit.path}:${hit.line}: ${hit.text}`);
      const rest = found.isCut ? '\n[there may be more: search a smaller folder or a longer text]' : '';
      return dual({
        text:
          lines.length === 0
            ? `“${text}” is in none of ${found.files} files.${rest}`
            : lines.join('\n') + rest,
        value: found,
      });
    },
  });

const writeTool = (ops: FileOps | undefined): Tool =>
  tool({
    name: 'write',
    description: 'Writes a whole text file, and makes the folders above it.',
    category: 'files',
    safety: 'write',
    // The same text written twice is there once.
    idempotent: true,
    input: z.object({ path, text: z.string() }),
    describe: ({ path: file }) => `Writing ${file}`,
    execute: async ({ path: file, text }, context) => {
      const { bytes, isNew } = await opsOf(context, 'files', ops).write(file, text);
      const value = { path: file, bytes, isNew };
      return dual({ text: `${isNew ? 'Made' : 'Replaced'} ${file} (${bytes} bytes).`, value });
    },
  });

const READING = [readTool, listTool, searchTool];
