import type { CommandName } from './command-shapes.ts';

/** What a command is for, how it is used, and what it takes beside the options that all have. */
export interface HelpText {
  readonly about: string;
  readonly usage: string;
  readonly text?: string;
  readonly options?: string;
  readonly examples: readonly string[];
}

const PARK =
  '      --park           leave the run as soon as it waits for a person, or long (exit code 75); needs a store';
const TRACE = '      --trace FOLDER   write a trace of the run there, while it goes on; see troupe trace';
const INSPECT = `      --inspect        show the run in a browser while it goes on; kept open until Ctrl-C
      --port N         where the inspector is served (default: any port that is free)
      --control        the page may hold, step, talk to and stop the run
      --open           open it in the browser`;
const CODE = `      --agent FILE     the module that exports its agent, where it was begun by other code, has moved or was imported
      --file FILE      the same
      --export NAME    which export of it, where it has several; also FILE#NAME`;
const RUN = 'RUN is the id of a run, or its first characters (four or more).';

/** What each command says of itself. */
export const helpTexts: Readonly<Record<CommandName, HelpText>> = {
  ask: {
    about: 'answer a question from a folder of documents, with citations',
    usage: '[QUESTION] [FOLDER]',
    text: `A supervisor takes the question apart, researchers search the documents, a writer answers with citations, and a
critic sends the answer back, twice at most, while a sentence is not grounded in the passage that it cites.

FOLDER holds Markdown, text or source (default: the current folder); binary and huge files are skipped.
Without a question it asks one of troupe's own documents.`,
    options: `      --budget USD     stop before more than this is spent; refuses a model whose price is not known
      --memory FOLDER  remember the answers there, as Markdown, for questions that go on from them
${TRACE}
${PARK}
${INSPECT}`,
    examples: [
      'troupe ask "How do I configure retries?" ./docs',
      'troupe ask "What changed in version 2?" . --model anthropic:claude-sonnet-5-5',
      'troupe ask "Who approves travel?" ./handbook --quiet > answer.txt',
      'troupe ask "And who pays for it?" ./handbook --memory ~/.notes --budget 0.20',
    ],
  },
  run: {
    about: 'run the agent or team that a module exports',
    usage: 'FILE [INPUT]',
    text: `FILE is a JavaScript module, or a TypeScript one where tsx is installed or Node strips types. Of its exports the
default one is run, else the only one that is an agent or a team. INPUT is text; without it, standard input is read.`,
    options: `      --data           INPUT is JSON, for an agent whose input has a schema
      --export NAME    which export to run, where it has several; also FILE#NAME
${TRACE}
${PARK}
${INSPECT}`,
    examples: [
      'troupe run examples/01-first-agent.ts "What is 19 + 23?"',
      `echo '{"city": "Oslo"}' | troupe run weather.js --data`,
      'troupe run team.ts#clerk "Sort the mail."',
    ],
  },
  inspect: {
    about: 'show an agent at work, or the runs that are kept, as statecharts in a browser',
    usage: '[FILE] [INPUT]',
    text: `Serves a page on the loopback and prints its address, which nobody can guess; until Ctrl-C. With INPUT, the agent that FILE
exports is run, and can be seen while it works. Without, the runs that are kept are there to be gone through: those that a
command began, and those of the agent that FILE exports. A FILE that exports nothing is a program: it is run as it is, with INPUT as
its argument, and every run that it begins is shown.`,
    options: `      --data           INPUT is JSON, for an agent whose input has a schema
      --export NAME    which export of FILE, where it has several; also FILE#NAME
      --port N         where the page is served (default: any port that is free)
      --control        the page may hold, step, talk to, stop and fork runs
      --open           open it in the browser`,
    examples: [
      'troupe inspect team.ts "Plan a trip." --control',
      'troupe inspect',
      'troupe inspect program.ts',
      'troupe ask "How are retries configured?" ./docs --inspect --open',
    ],
  },
  graph: {
    about: 'print the statechart of an agent, a team or a workflow as Mermaid text, or as an SVG',
    usage: 'FILE',
    text: `With --taken, arrows say how often they were taken in the runs of it that are kept, and states how long they lasted; with --json,
that is printed instead of a drawing. Runs that it does not go through any more as they went are left out, and counted.`,
    options: `      --export NAME    which export to draw, where it has several; also FILE#NAME
      --svg            as an SVG that stands alone
      --taken          with what its runs did
      --limit N        of the newest N runs (default: 100)`,
    examples: ['troupe graph team.js > team.mmd', 'troupe graph team.js --taken --svg > team.svg'],
  },
  runs: {
    about: 'list the runs that are kept, the newest first',
    usage: '',
    text: 'Each line: the id of the run, how it stands, when it began, its agent, and the first words of its input.',
    options: `      --status LIST    only those that are running, waiting, completed, stopped, aborted or failed
      --limit N        at most that many (default: 20)`,
    examples: ['troupe runs --status waiting,running', 'troupe runs --json --limit 100'],
  },
  show: {
    about: 'show a run: its steps, with decisions, calls and costs, what it waits for, and how it ended',
    usage: 'RUN',
    text: `${RUN} It is read from the journal alone: the agent's code is not needed.
Of a damaged journal what is sound is shown, the damage is named, and the exit code is 1.`,
    options: `      --step N         only that step of each agent, with all that was decided, done and said in it
      --call CALL      only that model call, with its exact request and what came back: its number, or the end of its key`,
    examples: [
      'troupe show 3f9a',
      'troupe show 3f9a --step 2',
      'troupe show 3f9a --call 1',
      'troupe show 3f9a --json',
    ],
  },
  resume: {
    about: 'go on with a run where it was, after a crash, an answer or a long wait',
    usage: 'RUN',
    text: `${RUN} What models and tools answered is used again; what was asked for and not
answered is done. Its agent is found by what the run was begun with: the folder of an ask, the module of a run.
Of a run that is over, its answer is printed. A run that another process has is refused.`,
    options: `      --all-due        all runs that have something to do: one after the other, each left where it has to wait
${CODE}
${PARK}`,
    examples: ['troupe resume 3f9a', 'troupe resume --all-due'],
  },
  replay: {
    about: 'go through a run again, and say whether its agents still do what they did',
    usage: 'RUN',
    text: `${RUN} What models and tools answered is used again: nothing is done, paid for or written.
Where an agent does something else, or tells its model something else of itself, the first difference is named (exit code 1).`,
    options: CODE,
    examples: ['troupe replay 3f9a', 'troupe replay 3f9a --agent ./changed-agent.ts'],
  },
  fork: {
    about: 'begin a run that shares the first steps of another, and goes on otherwise',
    usage: 'RUN --at STEP',
    text: `${RUN} STEP is the first step of its root that is done anew; what came before is
not paid for again. The other run stays as it is: also one that was aborted by Ctrl-C can be forked.`,
    options: `      --at STEP        where to part, from 0
      --message TEXT   said to the agent when the fork begins
${CODE}
${PARK}`,
    examples: [
      'troupe fork 3f9a --at 2 --model anthropic:claude-sonnet-5-5',
      'troupe fork 3f9a --at 1 --message "Be brief."',
    ],
  },
  compare: {
    about: 'show where two runs part, in calls, messages, cost and output',
    usage: 'RUN RUN',
    text: `${RUN} Times and ids do not count. Exit code 0 if they are the same, 1 if not.`,
    examples: ['troupe compare 3f9a a1b2'],
  },
  approve: {
    about: 'let a call of a run that waits go on',
    usage: 'RUN [REQUEST]',
    text: `${RUN} REQUEST is needed where the run waits for several; troupe show lists them.
The process that has the run hears of it at once; where none has, whoever resumes the run does.`,
    options: `      --input JSON     the call is made with this in place of its own input, if it fits the tool
      --resume         go on with the run here, if no process has it`,
    examples: ['troupe approve 3f9a', 'troupe approve 3f9a --resume'],
  },
  deny: {
    about: 'refuse a call of a run that waits',
    usage: 'RUN [REQUEST]',
    text: `${RUN} REQUEST is needed where the run waits for several; troupe show lists them.`,
    options: `      --reason TEXT    told to the agent
      --resume         go on with the run here, if no process has it`,
    examples: ['troupe deny 3f9a --reason "Too expensive."'],
  },
  answer: {
    about: 'answer a question of a run that waits',
    usage: 'RUN TEXT',
    text: RUN,
    options: `      --request REQUEST  which question, where there are several; troupe show lists them
      --resume           go on with the run here, if no process has it`,
    examples: ['troupe answer 3f9a "To Ada."'],
  },
  export: {
    about: 'write a run to a file: its journal, as lines of text, checked',
    usage: 'RUN [FILE]',
    text: `${RUN} FILE is RUN.journal unless it is named, and - is standard output.
A file that is there is not replaced.`,
    examples: ['troupe export 3f9a', 'troupe export 3f9a - | gzip > run.journal.gz'],
  },
  import: {
    about: 'enter a run that was exported',
    usage: 'FILE',
    text: `FILE is - for standard input. One that is damaged is refused, and so is a run whose id is there already.
The module or the folders that it names are somebody else's choice: before they are used, you are asked, once.`,
    options: `      --agent FILE     the module that exports its agent here
      --export NAME    which export of it, where it has several; also FILE#NAME`,
    examples: ['troupe import 3f9a1c0b7d2e.journal', 'troupe import run.journal --agent ./clerk.ts'],
  },
  prune: {
    about: 'remove runs that have ended and are old',
    usage: '--older-than TIME',
    text: 'TIME is such as 12h, 30d or 4w, since a run was last written to. A run that has not ended is never removed.',
    options: `      --status LIST    only those that are completed, stopped, aborted or failed
      --dry-run        only say how many`,
    examples: [
      'troupe prune --older-than 30d --dry-run',
      'troupe prune --older-than 1w --status failed,aborted',
    ],
  },
  trace: {
    about: 'look at runs by their traces, or by what is kept of them',
    usage: 'list|show|replay|export|check TRACE',
    text: `TRACE is the folder of a trace, or of all traces for list; else a run that is kept, by its id or the first characters of it.

  list     the traces in a folder, the newest first; one whose process is gone is found as interrupted
  show     its steps, with decisions, calls and costs, and how it ended
  replay   plays it as it was, at any speed; nothing is done again
  export   as a page for a browser, a Mermaid diagram of who said what to whom, or lines of JSON
  check    all that is wrong with it, or with several (exit code 1)`,
    options: `      --status LIST    list: only those that are running, completed, stopped, aborted, failed or interrupted
      --limit N        list: at most that many (default: 20)
      --speed N        replay: so many times as fast as it was (default: 1)
      --html FILE      export: one page, that loads nothing; - is standard output
      --mermaid FILE   export: a sequence diagram; - is standard output
      --ndjson         export: all events, on standard output`,
    examples: [
      'troupe trace list ./traces --status failed',
      'troupe trace replay ./traces/3f9a1c0b7d2e --speed 10',
      'troupe trace export 3f9a --html run.html',
      'troupe trace check ./traces/*',
    ],
  },
};
