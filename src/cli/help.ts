import type { CommandName } from './usage.ts';

const OPTIONS = `Options:
  -m, --model NAME   provider:model, such as openai:gpt-5.5, anthropic:claude-sonnet-5-5,
                     compatible:llama3.2 (the server at OPENAI_BASE_URL), offline
  -q, --quiet        print the answer only
      --json         print every event as a line of JSON on standard output, nothing else
      --no-color     no colours (also: NO_COLOR=1, or wherever the output is no terminal)
      --debug        show where an error comes from
  -h, --help         show this
  -v, --version      show the version

Without --model, TROUPE_MODEL, OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL decide; without any of
them the offline model answers: it needs no key and no network, is no language model, and quotes what it finds.

Exit codes:
  0    answered, also if the honest answer is that nothing was found
  1    failed, or stopped without an answer
  2    wrong usage, or something that it needs is not there
  130  aborted by Ctrl-C (once: it ends in order; twice: at once)

The answer goes to standard output, everything else to standard error.
`;

const TEXTS: Readonly<Record<CommandName | 'all', string>> = {
  all: `troupe — agents and teams as statecharts

Usage:
  troupe ask [QUESTION] [FOLDER]   answer a question from a folder of documents
  troupe run FILE [INPUT]          run the agent or team that a module exports
  troupe graph FILE                print its statechart as Mermaid text
  troupe COMMAND --help            more about a command

${OPTIONS}`,
  ask: `troupe ask — answer a question from a folder of documents, with citations

Usage:
  troupe ask [QUESTION] [FOLDER]

A supervisor takes the question apart, researchers search the documents, a writer answers with citations, and a
critic sends the answer back, twice at most, while a sentence is not grounded in the passage that it cites.

FOLDER holds Markdown, text or source (default: the current folder); binary and huge files are skipped.
Without a question it asks one of troupe's own documents.

      --budget USD     stop before more than this is spent; refuses a model whose price is not known
      --memory FOLDER  remember the answers there, as Markdown, for questions that go on from them

Examples:
  troupe ask "How do I configure retries?" ./docs
  troupe ask "What changed in version 2?" . --model anthropic:claude-sonnet-5-5
  troupe ask "Who approves travel?" ./handbook --quiet > answer.txt
  troupe ask "And who pays for it?" ./handbook --memory ~/.notes --budget 0.20

${OPTIONS}`,
  run: `troupe run — run the agent or team that a module exports

Usage:
  troupe run FILE [INPUT]

FILE is a JavaScript module, or a TypeScript one where tsx is installed or Node strips types. Of its exports the
default one is run, else the only one that is an agent or a team. INPUT is text; without it, standard input is read.

      --data         INPUT is JSON, for an agent whose input has a schema
      --export NAME  which export to run

Examples:
  troupe run examples/01-first-agent.ts "What is 19 + 23?"
  echo '{"city": "Oslo"}' | troupe run weather.js --data

${OPTIONS}`,
  graph: `troupe graph — print the statechart of an agent or team as Mermaid text

Usage:
  troupe graph FILE

      --export NAME  which export to draw

Example:
  troupe graph team.js > team.mmd

${OPTIONS}`,
};

/** What a command is and understands; of all commands without one. */
export const helpText = (about?: CommandName): string => TEXTS[about ?? 'all'];
