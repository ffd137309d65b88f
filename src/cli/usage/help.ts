import { exitMeanings } from '../exit-code.ts';
import type { CommandName } from './command-shapes.ts';
import { commandNames, isCommand } from './command-shapes.ts';
import { helpTexts } from './help-texts.ts';

const OPTIONS = `Options:
  -m, --model NAME     provider:model, such as openai:gpt-5.5, anthropic:claude-sonnet-5-5,
                       compatible:llama3.2 (the server at OPENAI_BASE_URL), offline
      --store STORE    location of stored runs: FILE (SQLite), postgres://…, memory or none
  -q, --quiet          print the answer only
      --json           print events, or the requested data, as lines of JSON on standard output, and nothing else
      --no-color       no colours (also: NO_COLOR=1, or if the output is not a terminal)
      --debug          show the stack of an error
  -h, --help           show this
  -v, --version        show the version

Without --model, TROUPE_MODEL, OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL decide; without any of
them the offline model answers: it needs no key and no network, is not a language model, and quotes what it finds.

Without --store, TROUPE_STORE decides; without it runs are stored in the user's data folder: $XDG_DATA_HOME/troupe/runs.db
or ~/.local/share/troupe/runs.db, on macOS ~/Library/Application Support/troupe, on Windows %LOCALAPPDATA%\\troupe.
Without a person at the terminal, a run that needs one prints the command that answers it, and waits.

Exit codes:
${exitMeanings.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`).join('\n')}

The answer goes to standard output, everything else to standard error.
`;

/** Returns the help of a command; without one, of all. */
export const helpText = (about?: CommandName): string =>
  about === undefined
    ? `troupe — agents and teams as statecharts\n\nUsage:\n${all()}\n\n${OPTIONS}`
    : one(about);

const all = (): string => {
  const lines = commandNames.filter(isCommand).map((name) => {
    const { usage, about } = helpTexts[name];
    return { use: `troupe ${name} ${usage}`.trimEnd(), about };
  });
  const more = { use: 'troupe COMMAND --help', about: 'more about a command' };
  const width = Math.max(...[...lines, more].map(({ use }) => use.length));
  return [...lines, more].map(({ use, about }) => `  ${use.padEnd(width)}   ${about}`).join('\n');
};

const one = (name: CommandName): string => {
  const { about, usage, text, options, examples } = helpTexts[name];
  return [
    `troupe ${name} — ${about}`,
    `Usage:\n  ${`troupe ${name} ${usage}`.trimEnd()}`,
    ...(text === undefined ? [] : [text]),
    ...(options === undefined ? [] : [options]),
    `${examples.length === 1 ? 'Example' : 'Examples'}:\n${examples.map((line) => `  ${line}`).join('\n')}`,
    OPTIONS,
  ].join('\n\n');
};
