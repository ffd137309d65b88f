import * as z from 'zod';
import { platformSha256 } from '../../../base/platform-sha256.ts';
import type { FileOps } from '../../../contracts/environments/operations.ts';
import type { Tool } from '../../../contracts/tools/tool.ts';
import { dual } from '../../calls/tool-result.ts';
import { tool } from '../../define/define-tool.ts';
import { describeProcess } from '../../environments/process-tools.ts';
import { opsOf } from '../../environments/requiring.ts';
import type { StoredSkill } from './skill.ts';
import { exactText, unreadableFile } from './skill.ts';
import type { SkillSet } from './skill-set.ts';

/** In ms. */
const TIMEOUT_MS = 120_000;

/** Larger files are not copied, in bytes. */
const MAX_COPIED_BYTES = 1_000_000;

/** The commands of scripts without a first line `#!`, by the end of their names. */
const COMMANDS: Readonly<Record<string, string>> = {
  py: 'python3',
  sh: 'sh',
  bash: 'bash',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  rb: 'ruby',
  pl: 'perl',
};

/**
 * The tool that runs a script of a skill in the environment of the run.
 *
 * The texts of the skill are copied there before each run, so that what runs is what is on record. The environment decides which commands it allows.
 */
export const runSkillScriptTool = (set: SkillSet, scripts: 'ask' | 'run'): Tool =>
  tool({
    name: 'run_skill_script',
    description:
      'Runs a script of a skill, in the root of the environment, without a shell. Gives exit code and output.',
    input: z.object({
      skill: z.enum(set.names),
      path: z.string().min(1).describe('Path of the script below the folder of the skill'),
      args: z.array(z.string()).default([]),
      input: z.string().optional().describe('Standard input'),
    }),
    category: 'skills',
    safety: 'danger',
    approval: scripts === 'ask',
    timeoutMs: TIMEOUT_MS,
    describe: ({ skill, path, args }) =>
      `Running ${[path, ...args].join(' ').slice(0, 100)} of the skill ${skill}`,
    execute: async ({ skill, path, args, input }, context) => {
      const processes = opsOf(context, 'processes');
      const folder = set.findFolder(skill);
      const bytes = await folder.readFile(path);
      const text = exactText(bytes);
      const command = text === undefined ? undefined : commandOf(path, text);
      if (text === undefined || command === undefined)
        throw unreadableFile(
          { skill, path },
          "it is not a script: it has no first line '#!', and no known ending",
        );
      const files = opsOf(context, 'files');
      const place = await copyTexts(folder, files);
      await files.write(`${place}/${path}`, text);
      const hash = platformSha256(bytes);
      set.record(context, skill, path, hash);
      const { signal } = context;
      const result = await processes.run(command, [`${place}/${path}`, ...args], {
        input,
        timeoutMs: TIMEOUT_MS,
        signal,
      });
      return dual({ text: describeProcess(result), value: { skill, path, hash, ...result } });
    },
  });

/** The command that a script is run by: that of its first line, else by the end of its name. */
const commandOf = (path: string, text: string): string | undefined => {
  const [, program] = /^#!\s*(?:\/\S*\/)?(?:env\s+(?:-S\s+)?)?([\w.+-]+)/.exec(text) ?? [];
  return program ?? COMMANDS[/\.(\w+)$/.exec(path)?.[1] ?? ''];
};

/** Copies the texts of a skill into an environment, whose files are texts; returns the folder. */
const copyTexts = async (folder: StoredSkill, files: FileOps): Promise<string> => {
  const place = `.skills/${folder.name}`;
  const { files: listed } = await folder.list();
  for (const { path, bytes } of listed) {
    const text = bytes > MAX_COPIED_BYTES ? undefined : exactText(await folder.readFile(path));
    if (text !== undefined) await files.write(`${place}/${path}`, text);
  }
  return place;
};
