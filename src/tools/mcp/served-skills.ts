import type { Skill as SkillEntry, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { oneLine } from '../../base/text/printable.ts';
import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { ToolsetOpening } from '../../contracts/tools/tool.ts';
import { pathNames, shownPath } from '../environments/clean-path.ts';
import { McpConnection } from './mcp-connection.ts';
import type { Skill, SkillFile, SkillHead, StoredSkill } from '../built-in/skills/skill.ts';
import {
  checkHead,
  invalidSkill,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_SKILL_BYTES,
  missingFile,
  parseSkill,
  SKILL_FILE,
  tooLargeFile,
  tooLargeSkill,
  unreadableFile,
} from '../built-in/skills/skill.ts';
import type { SkillServer } from '../built-in/skills/skills-options.ts';

/** Larger skills, and those of more files, are refused, as the extension has it. */
const MAX_BYTES = 16_777_216;
const MAX_ENTRIES = 512;

/** The package behind this, and its part for skills. */
const PACKAGE = '@modelcontextprotocol/client';

/** Works with the skills of a server. */
type Ask = <Result>(
  doing: string,
  work: (skills: SkillsClient, options: { readonly timeout: number }) => Promise<Result>,
) => Promise<Result>;

/** The skills that a server lists, by the extension `io.modelcontextprotocol/skills` of the protocol. */
export interface ServedSkills {
  readonly skills: readonly StoredSkill[];
  /** Reasons for those that were left out, by their addresses. */
  readonly refused: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Connects to a server, and lists its skills. Nothing else is read of them before it is needed.
 *
 * @throws {TroupeError} `mcp.*` if it cannot be reached, `skill.invalid` if it serves no skills; an optional server has none then.
 */
export const connectToSkills = async (
  server: SkillServer,
  opening: Pick<ToolsetOpening, 'hide' | 'signal'>,
): Promise<ServedSkills> => {
  const { name, optional = false, timeoutMs: timeout = 60_000 } = server;
  const connection = new McpConnection(server, {
    hide: opening.hide,
    capabilities: {},
    prepare: () => undefined,
    listed: () => undefined,
  });
  const close = (): Promise<void> => connection.close();
  opening.signal.addEventListener('abort', () => void close());
  const ask: Ask = async (doing, work) => {
    const { SkillsClient: Skills } = await loadPackage(
      PACKAGE,
      () => import('@modelcontextprotocol/client/ext/skills').catch(rethrow),
      'mcp.package-missing',
    );
    return connection.request(`${doing} of the MCP server '${name}'`, (client) =>
      work(new Skills(client, { skipInvalid: true }), { timeout }),
    );
  };
  try {
    const listed = await ask('list the skills', async (skills, options) =>
      skills.supported ? skills.list(undefined, options) : undefined,
    );
    if (listed === undefined) throw noSkills(name, 'it does not declare io.modelcontextprotocol/skills');
    const { skills, invalid } = listed;
    const refused = invalid.map(({ uri, index, reason }) => [uri ?? `${name}#${index}`, reason] as const);
    const served: StoredSkill[] = [];
    for (const entry of skills) {
      const reason = reasonAgainst(entry);
      if (reason !== undefined) refused.push([entry.uri, reason]);
      else served.push(new ServedSkill(nameAmong(entry, skills), entry, { server: name, ask }));
    }
    if (served.length === 0 && !optional) throw noSkills(name, describeRefused(refused));
    return { skills: served, refused: Object.fromEntries(refused.map(shorten)), close };
  } catch (thrown) {
    await close();
    if (!optional) throw thrown;
    return { skills: [], refused: { [name]: messageOf(thrown) }, close };
  }
};

const noSkills = (server: string, reason: string): TroupeError =>
  new TroupeError('skill.invalid', `Cannot use the skills of the MCP server '${server}' as ${reason}`);

const describeRefused = (refused: readonly (readonly [string, string])[]): string =>
  refused.length === 0
    ? 'it lists none'
    : `none can be used: ${refused
        .slice(0, 5)
        .map(([uri, reason]) => `${oneLine(uri, 100)}: ${oneLine(reason, 200)}`)
        .join('; ')}`;

const shorten = ([uri, reason]: readonly [string, string]): readonly [string, string] => [
  oneLine(uri, 200),
  oneLine(reason, 300),
];

/** The reason for which a skill cannot be used; undefined if it can. */
const reasonAgainst = ({ uri, resources }: SkillEntry): string | undefined => {
  if (resources === 'dynamic')
    return 'its files have no hashes, so nothing tells what a model would be given';
  if (resources.length > MAX_ENTRIES) return `it has more than ${MAX_ENTRIES} files: ${resources.length}`;
  const bytes = resources.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_BYTES) return `it has more than ${MAX_BYTES} bytes: ${bytes}`;
  const foreign = resources.find((each) => pathIn(uri, each.uri) === undefined);
  return foreign === undefined ? undefined : `a file of it is not below its folder: ${foreign.uri}`;
};

const folderOf = (uri: string): string => uri.slice(0, -SKILL_FILE.length);

/** The path of a file below the folder of a skill; undefined if it is elsewhere. */
const pathIn = (skill: string, uri: string): string | undefined => {
  const folder = folderOf(skill);
  if (!uri.startsWith(folder)) return undefined;
  try {
    return shownPath(pathNames(decodeURIComponent(uri.slice(folder.length))));
  } catch {
    return undefined;
  }
};

/** The name of a skill; where several have it, the path that distinguishes them. */
const nameAmong = ({ uri, frontmatter: { name } }: SkillEntry, skills: readonly SkillEntry[]): string => {
  const isUnique = skills.every((other) => other.uri === uri || other.frontmatter.name !== name);
  return isUnique ? name : oneLine(folderOf(uri).replace(/^[^:]+:\/\//, ''), 200).replace(/\/$/, '');
};

/** A skill that an MCP server lists: each of its files must be what the list says. */
class ServedSkill implements StoredSkill {
  readonly name: string;
  readonly place: string;
  readonly #entry: SkillEntry;
  readonly #ask: Ask;
  /** By path. */
  readonly #files: ReadonlyMap<
    string,
    { readonly uri: string; readonly size: number; readonly digest: string }
  >;

  constructor(name: string, entry: SkillEntry, { server, ask }: { server: string; ask: Ask }) {
    this.name = name;
    this.place = `${oneLine(entry.uri, 200)} of the MCP server '${server}'`;
    this.#entry = entry;
    this.#ask = ask;
    const { resources } = entry;
    const files = resources === 'dynamic' ? [] : resources;
    this.#files = new Map(files.map((file) => [pathIn(entry.uri, file.uri) ?? '', file]));
  }

  readHead(): Promise<SkillHead> {
    const { name, description } = this.#entry.frontmatter;
    const digest = this.#files.get(SKILL_FILE)?.digest ?? '';
    return Promise.resolve({
      name: this.name,
      description: checkHead(name, description),
      hash: digest.slice(digest.indexOf(':') + 1),
    });
  }

  async readSkill(): Promise<Skill> {
    const { size = 0 } = this.#files.get(SKILL_FILE) ?? {};
    if (size > MAX_SKILL_BYTES) throw tooLargeSkill(this.name, size);
    const bytes = await this.#read(SKILL_FILE, this.#entry.uri).catch((thrown: unknown) => {
      throw isTroupeError(thrown, 'skill.unreadable') ? invalidSkill(this.name, thrown.message) : thrown;
    });
    return { ...parseSkill(this.#entry.frontmatter.name, bytes), name: this.name };
  }

  async readFile(path: string): Promise<Uint8Array> {
    const shown = shownPath(pathNames(path));
    const file = this.#files.get(shown);
    if (file === undefined) throw missingFile(this.name, path, (await this.list()).files);
    if (file.size > MAX_FILE_BYTES) throw tooLargeFile(this.name, path, file.size);
    return this.#read(shown, file.uri);
  }

  list(): Promise<{ readonly files: readonly SkillFile[]; readonly isCut: boolean }> {
    const files = [...this.#files]
      .filter(([path]) => path !== SKILL_FILE && !path.split('/').some((name) => name.startsWith('.')))
      .map(([path, { size: bytes }]) => ({ path, bytes }))
      .toSorted((one, other) => (one.path < other.path ? -1 : 1));
    return Promise.resolve({ files: files.slice(0, MAX_FILES), isCut: files.length > MAX_FILES });
  }

  async #read(path: string, uri: string): Promise<Uint8Array> {
    try {
      const { bytes } = await this.#ask(`read ${path} of the skill '${this.name}'`, (skills, options) =>
        skills.read(this.#entry, uri, options),
      );
      return bytes;
    } catch (thrown) {
      const { cause } = isTroupeError(thrown) ? thrown : { cause: undefined };
      if (!(cause instanceof Error) || cause.name !== 'SkillVerificationError') throw thrown;
      throw unreadableFile(
        { skill: this.name, path },
        `it is not what the server listed, which may have changed it since the run began: ${oneLine(cause.message, 300)}`,
      );
    }
  }
}
