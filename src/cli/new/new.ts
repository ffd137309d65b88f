import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { exitCode } from '../exit-code.ts';
import { packageRoot } from '../package-root.ts';
import type { Session } from '../session.ts';
import { askLine } from '../terminal/ask-line.ts';
import { isAttended } from '../terminal/terminal.ts';
import { wrong } from '../usage/wrong-usage.ts';
import type { NewCommand } from './new-command.ts';
import type { OwnManifest } from './project-files.ts';
import { projectFiles } from './project-files.ts';
import type { Project } from './project.ts';
import { modelProviders, templates } from './project.ts';

/** `troupe new`: makes a project in a folder that is absent or empty. Nothing is installed. */
export const newProject = async (wanted: NewCommand, session: Session): Promise<number> => {
  const { terminal, settings, sidePaint: paint } = session;
  const { folder, ...chosen } = await choose(wanted, session);
  const place = resolve(terminal.folder, folder);
  const project: Project = { name: nameOf(place), ...chosen };
  assertEmpty(place, folder);
  const own = projectFiles(project, ownManifest());
  mkdirSync(place, { recursive: true });
  for (const [path, text] of Object.entries(own)) writeFileSync(join(place, path), text);
  const template = join(packageRoot, 'examples/projects', project.template);
  cpSync(template, place, { recursive: true });
  const files = [...Object.keys(own), ...filesIn(template)];
  if (settings.json) terminal.stdout.write(`${JSON.stringify({ folder: place, files })}\n`);
  else if (!settings.quiet) {
    const shown = relative(terminal.folder, place);
    const into = shown === '' ? [] : [`cd ${shown}`];
    const next = [...into, 'npm install', 'npm start'].map((line) => `    ${paint.cyan(line)}\n`).join('');
    terminal.stderr.write(`\n  ${paint.green('✓')} Made ${project.name}: ${files.length} files\n\n${next}\n`);
  }
  return exitCode.answered;
};

type Chosen = Omit<Project, 'name'> & { readonly folder: string };

/** Asks for what was not given, if somebody is there. */
const choose = async (
  { folder, template, provider, isServed, isUnasked }: NewCommand,
  session: Session,
): Promise<Chosen> => {
  const isAsking = !isUnasked && isAttended(session.terminal) && !session.settings.json;
  if (folder === undefined && !isAsking) throw wrong('no folder was named: give one for the project', 'new');
  const ask = async (lines: readonly string[], prompt: string, otherwise: string): Promise<string> => {
    if (!isAsking) return otherwise;
    const said = await askLine(lines, `${prompt} (${otherwise})`, session.signal, session);
    return said === '' ? otherwise : said;
  };
  const among = async <Word extends string>(words: readonly Word[], prompt: string): Promise<Word> => {
    const [first] = words;
    if (first === undefined) throw new TypeError('a choice has words');
    const said = await ask([], `${prompt}: ${words.join(', ')}?`, first);
    const found = words.find((word) => word.startsWith(said.toLowerCase()));
    if (found === undefined)
      throw wrong(`there is no such choice: '${said}' (there are ${words.join(', ')})`, 'new');
    return found;
  };
  return {
    folder: folder ?? (await ask([], 'Folder of the project?', 'my-agents')),
    template: template ?? (await among(templates, 'To begin with')),
    provider: provider ?? (await among(modelProviders, 'A provider of models')),
    isServed: isServed ?? (await among(['no', 'yes'], 'Served over HTTP')) === 'yes',
  };
};

const nameOf = (place: string): string => {
  const name = basename(place);
  if (/^[a-z0-9][a-z0-9._-]{0,213}$/.test(name)) return name;
  throw wrong(`'${name}' is no name of a package: use small letters, digits, and - . _ between them`, 'new');
};

const assertEmpty = (place: string, given: string): void => {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw wrong(`'${given}' is a file: name a folder that is absent or empty`, 'new');
  const first = readdirSync(place).find((name) => name !== '.git');
  if (first !== undefined)
    throw wrong(
      `'${given}' has files in it, such as '${first}': name a folder that is absent or empty`,
      'new',
    );
};

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

const ownManifest = (): OwnManifest =>
  JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as OwnManifest;
