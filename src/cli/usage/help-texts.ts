import type { CommandName } from './command-shapes.ts';
import { helpOfServing } from './help-of-serving.ts';
import { helpOfEvals } from './help-of-evals.ts';
import { helpOfComparison } from './help-of-comparison.ts';
import type { HelpText } from './help-text.ts';

const PARK =
  '      --park           exit with code 75 as soon as the run waits for a person, or for long; needs a store';
const REVEAL = '      --reveal         print the answer with the secrets in it';
const TRACE = '      --trace FOLDER   write a trace of the run to FOLDER; see troupe trace';
const INSPECT = `      --inspect        show the run in a browser; stays open until Ctrl-C
      --port N         port of the inspector (default: any free port)
      --control        let the page pause, step, message and stop the run
      --open           open it in the browser
      --wait           hold the run until somebody looks`;
const CODE = `      --agent FILE     the module that exports its agent, if it was started by other code, has moved or was imported
      --file FILE      the same
      --export NAME    name of the export, if there are several; also FILE#NAME`;
const RUN = 'RUN is the id of a run, or its first four or more characters.';

/** Help texts by command. */
export const helpTexts: Readonly<Record<CommandName, HelpText>> = {
  new: {
    about: 'make a project: an agent, a tool, a test',
    usage: '[FOLDER]',
    text: `FOLDER is absent or empty, and names the project. At a terminal, what is not given is asked for. Nothing is installed:
npm install does. npm create troupe FOLDER is the same where troupe is not installed yet.`,
    options: `      --template NAME  agent (default): one with a tool; team: a pipeline of two
      --provider NAME  none (default), openai or anthropic: its SDK is among the dependencies
      --serve          with a script that serves it over HTTP
  -y, --yes            ask nothing: what is not given is by default`,
    examples: ['troupe new my-agents', 'troupe new desk --template team --provider anthropic --yes'],
  },
  ask: {
    about: 'answer a question from a folder of documents, with citations',
    usage: '[QUESTION] [FOLDER]',
    text: `A supervisor splits the question, researchers search the documents, a writer answers with citations, and a
critic sends the answer back, twice at most, while a sentence is not grounded in the passage that it cites.

FOLDER contains Markdown, text or source (default: the current folder); binary and huge files are skipped.
Without a question it asks one of troupe's own documents.`,
    options: `      --budget USD     stop before spending more than this; refuses a model of unknown price
      --memory FOLDER  remember answers in FOLDER, as Markdown, for follow-up questions
${TRACE}
${PARK}
${REVEAL}
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
    text: `FILE is a JavaScript module, or a TypeScript one if tsx is installed or Node strips types. Runs its default export,
else the only one that is an agent or a team. INPUT is text; without it, standard input is read.`,
    options: `      --data           INPUT is JSON, for an agent whose input has a schema
      --export NAME    export to run, if there are several; also FILE#NAME
${TRACE}
${PARK}
${REVEAL}
${INSPECT}`,
    examples: [
      'troupe run examples/01-first-agent.ts "What is 19 + 23?"',
      `echo '{"city": "Oslo"}' | troupe run weather.js --data`,
      'troupe run team.ts#clerk "Sort the mail."',
    ],
  },
  inspect: {
    about: 'show a running agent, stored runs or a trace as statecharts in a browser',
    usage: '[FILE] [INPUT], or -- COMMAND',
    text: `Serves a page on the loopback until Ctrl-C, and prints its address, which contains a secret token. With INPUT, runs the agent
that FILE exports, and shows it at work. Without INPUT, shows stored runs: those started by a command, and those of the agent
that FILE exports. A FILE that exports nothing is a program: it is run unchanged, with INPUT as its argument, and every run
that it starts, in processes of its own, too, is shown. Of a FILE that --trace or troupe export wrote, the run is shown, and nothing is run.

After -- comes any COMMAND that runs Node, as it is typed: the runs of its processes are on one page, which stays until Ctrl-C.

A page shows the runs of all processes of yours that are inspected on this machine, by this command or by inspect() in their code.`,
    options: `      --data           INPUT is JSON, for an agent whose input has a schema
      --export NAME    export of FILE, if there are several; also FILE#NAME
      --blobs FOLDER   folder with the bytes of media, if they are not in the store
      --port N         port of the page (default: any free port)
      --control        let the page pause, step, message and stop runs, and fork
                       stored ones, with another state, answer or result, too
      --open           open it in the browser
      --wait           hold runs until somebody looks`,
    examples: [
      'troupe inspect team.ts "Plan a trip." --control',
      'troupe inspect',
      'troupe inspect program.ts',
      'troupe inspect --wait -- npm run dev',
      'troupe inspect traces/r1.jsonl',
      'troupe inspect r1.journal',
      'troupe ask "How are retries configured?" ./docs --inspect --open',
    ],
  },
  dev: {
    about: 'show a file in a browser while you write it: its runs go on with each version',
    usage: 'FILE [INPUT]',
    text: `As troupe inspect FILE [INPUT] --control, but FILE is loaded anew when it, or what it imports of its project, has changed. The page stays. Stored
runs that are under way are resumed by the new version; where there are none, INPUT is run again. A version that fails to load is printed and
shown with its line, and the last one stays in use; a run that a version does not continue is held, and says why. Without INPUT nothing is
run, and stored runs are shown.`,
    options: `      --data           INPUT is JSON, for an agent whose input has a schema
      --export NAME    export of FILE, if there are several; also FILE#NAME
      --port N         port of the page (default: any free port)
      --open           open it in the browser
      --wait           hold the first runs until somebody looks`,
    examples: ['troupe dev team.ts "Plan a trip." --open', 'troupe dev program.ts'],
  },
  graph: {
    about: 'draw an agent, a team or a workflow as Mermaid text, or as an SVG',
    usage: 'FILE',
    text: `It draws the members and tools, and how work flows between them; with --of chart, the statechart. With --taken, arrows show how
often stored runs took them, and states how long they lasted. With --json, the data are printed instead of a drawing. Runs that no
longer replay as recorded are left out, and counted.`,
    options: `      --export NAME    export to draw, if there are several; also FILE#NAME
      --of WHAT        composition (default), or chart
      --svg            as a self-contained SVG
      --taken          with the paths of its stored runs
      --limit N        of the newest N runs (default: 100)`,
    examples: [
      'troupe graph team.js > team.mmd',
      'troupe graph team.js --of chart --svg > chart.svg',
      'troupe graph team.js --taken --svg > team.svg',
    ],
  },
  ...helpOfServing,
  runs: {
    about: 'list stored runs, newest first',
    usage: '',
    text: `Each line: the id of the run, its status, its start, what it took and cost, its agent, and the beginning of its input; on a terminal, why it failed or what
it waits for is below it, with what to type next. With --json, one line for each run: runId, agent, status, title, createdAt, updatedAt,
and where there are any dueAt, thread, forkedFrom, durationMs, tokens and costUsd.`,
    options: `      --status LIST    only those that are running, waiting, queued, interrupted, held, completed, stopped,
                       aborted, failed, or moved to another store, or arriving from one
      --limit N        at most that many (default: 20)`,
    examples: ['troupe runs --status waiting,running', 'troupe runs --json --limit 100'],
  },
  show: {
    about: 'show a run: its steps, with decisions, calls and costs, its open requests, and its end',
    usage: 'RUN',
    text: `${RUN} Read from the journal alone: the agent's code is not needed.
Of a damaged journal the valid part is shown, with the damage, and the exit code is 1. With --json, the fields of troupe runs --json,
with input, events (their number), steps, failedMembers, requests, and of a run that has ended stopReason, output, error, totals.`,
    options: `      --step N         only that step of each agent, with all its decisions, calls and messages
      --call CALL      only that model call, with its exact request and answer: its number, or the end of its key`,
    examples: [
      'troupe show 3f9a',
      'troupe show 3f9a --step 2',
      'troupe show 3f9a --call 1',
      'troupe show 3f9a --json',
    ],
  },
  resume: {
    about: 'resume a run, after a crash, an answer or a long wait',
    usage: 'RUN',
    text: `${RUN} Answers of models and tools are reused; unanswered calls are executed.
Its agent is found by the command that started it: the folder of an ask, the module of a run.
Of a finished run, the answer is printed. A run that another process holds is refused.`,
    options: `      --all-due        all runs that are due, one after the other; each is parked when it has to wait
${CODE}
${PARK}
${REVEAL}`,
    examples: ['troupe resume 3f9a', 'troupe resume --all-due'],
  },
  replay: {
    about: 'replay a run, and check that its agents still behave the same',
    usage: 'RUN',
    text: `${RUN} Answers of models and tools are reused: nothing is executed, paid for or written.
If an agent behaves differently, or has another system prompt, the first difference is shown (exit code 1).`,
    options: CODE,
    examples: ['troupe replay 3f9a', 'troupe replay 3f9a --agent ./changed-agent.ts'],
  },
  fork: {
    about: 'start a run that shares the beginning of another',
    usage: 'RUN --at STEP | --event SEQ',
    text: `${RUN} STEP is the first step of its root to be executed again; earlier ones are
not paid for again. SEQ is the number of an event, as troupe show RUN --step N and the inspector
give it: the fork begins there, or has a model's answer, a tool's result, a message of a person or
the state of the agent otherwise. The original run is unchanged; a run aborted by Ctrl-C can be forked, too.`,
    options: `      --at STEP        the step to fork at, from 0
      --event SEQ      the event to fork at; with --model alone, that model is asked in place of
                       the one that gave the answer
      --text TEXT      another text of that event
      --calls JSON     other calls of that answer: a list of {"name", "input"}, or @FILE
      --state JSON     another state of the agent at that step or event, or @FILE: the step that made
                       it ends with this one
      --message TEXT   message to the agent at the start of the fork
      --by NAME        who forks it, for the record
${CODE}
${PARK}
${REVEAL}`,
    examples: [
      'troupe fork 3f9a --at 2 --model anthropic:claude-sonnet-5-5',
      'troupe fork 3f9a --at 1 --message "Be brief."',
      'troupe fork 3f9a --event 12 --text "It rains."',
      'troupe fork 3f9a --event 7 --calls @calls.json',
      `troupe fork 3f9a --at 2 --state '{"total": 0}'`,
    ],
  },
  ...helpOfComparison,
  ...helpOfEvals,
  approve: {
    about: 'approve a call of a waiting run',
    usage: 'RUN [REQUEST]',
    text: `${RUN} REQUEST is needed if the run waits for several; troupe show lists them.
The process that holds the run is notified at once; without one, the run receives the answer when it is resumed.`,
    options: `      --input JSON     call the tool with this input instead, if it is valid
      --by NAME        who approves, where the request needs a role or several people
      --role ROLE      their role, or several with commas
      --resume         resume the run here, if no process holds it`,
    examples: ['troupe approve 3f9a', 'troupe approve 3f9a --resume'],
  },
  deny: {
    about: 'deny a call of a waiting run',
    usage: 'RUN [REQUEST]',
    text: `${RUN} REQUEST is needed if the run waits for several; troupe show lists them.`,
    options: `      --reason TEXT    reason for the agent
      --by NAME        who denies it
      --resume         resume the run here, if no process holds it`,
    examples: ['troupe deny 3f9a --reason "Too expensive."'],
  },
  answer: {
    about: 'answer a question of a waiting run',
    usage: 'RUN TEXT',
    text: RUN,
    options: `      --request REQUEST  the question, if there are several; troupe show lists them
      --resume           resume the run here, if no process holds it`,
    examples: ['troupe answer 3f9a "To Ada."'],
  },
  export: {
    about: 'export a run to a file: its journal, as lines of text with checksums',
    usage: 'RUN [FILE]',
    text: `${RUN} FILE defaults to RUN.journal; - is standard output.
An existing file is not overwritten.`,
    examples: ['troupe export 3f9a', 'troupe export 3f9a - | gzip > run.journal.gz'],
  },
  import: {
    about: 'import an exported run',
    usage: 'FILE',
    text: `FILE is - for standard input. A damaged file is refused, and so is a run whose id exists already.
The modules or folders that it names were chosen elsewhere: you are asked once before they are used.`,
    options: `      --agent FILE     the module that exports its agent here
      --export NAME    name of the export, if there are several; also FILE#NAME`,
    examples: ['troupe import 3f9a1c0b7d2e.journal', 'troupe import run.journal --agent ./clerk.ts'],
  },
  move: {
    about: 'move a run to another store, where it goes on',
    usage: 'RUN --to STORE',
    text: `${RUN} Its journal, media, letters, open requests and thread are copied, read back and compared; then it is
closed where it was (moved), and opened in the other store, in which workers and troupe resume go on with it. It is open in one of both at
most. Where this command is killed on the way, the run is where it was, or the same command, once more, finishes. A process that has the run
has to leave it first. Media in a folder of their own (--blobs) stay there.`,
    options: `      --to STORE       the other store: FILE (SQLite) or postgres://…`,
    examples: [
      'troupe move 3f9a --to postgres://db/runs',
      'troupe move 3f9a --store postgres://db/runs --to runs.db',
    ],
  },
  prune: {
    about: 'remove old runs that have ended',
    usage: '--older-than TIME',
    text: `TIME is a duration such as 12h, 30d or 4w since the last change of a run. An unfinished run is never removed. Bytes of
media go with the last run or thread that has them.`,
    options: `      --status LIST    only those that are completed, stopped, aborted or failed
      --blobs FOLDER   folder with the bytes of their media, if they are not in the store
      --dry-run        only show how many`,
    examples: [
      'troupe prune --older-than 30d --dry-run',
      'troupe prune --older-than 1w --status failed,aborted',
    ],
  },
  schedules: {
    about: 'list, pause, resume and remove schedules',
    usage: 'list|pause|resume|remove [NAME]',
    text: `Schedules are in the store; a process that has their code runs them, and notices a change within ten seconds.

  list     all of them, with what is pending and the next due time
  pause    starts no further run, in any process; what is missed meanwhile is delivered as the schedule says
  resume   continues
  remove   forgets the schedule and what of it has not begun; a program that adds it again makes it anew`,
    examples: [
      'troupe schedules list --store runs.db',
      'troupe schedules pause digest --store runs.db',
      'troupe schedules resume digest --store runs.db',
    ],
  },
  trace: {
    about: 'work with traces of runs, or stored runs',
    usage: 'list|show|replay|export|check TRACE',
    text: `TRACE is the file of a trace or of an exported journal, for list the folder of all traces; else a stored run,
by its id or the start of it.

  list     the traces in a folder, newest first; one whose process is gone is shown as interrupted
  show     its steps, with decisions, calls and costs, and its end
  replay   plays it at any speed; nothing is executed
  export   as a page for a browser, a Mermaid sequence diagram, or lines of JSON
  check    lists the problems of one or several (exit code 1)`,
    options: `      --status LIST    list: only those that are running, completed, stopped, aborted, failed or interrupted
      --limit N        list: at most that many (default: 20)
      --speed N        replay: speed factor (default: 1)
      --html FILE      export: one self-contained page; - is standard output
      --mermaid FILE   export: a sequence diagram; - is standard output
      --ndjson         export: all events, on standard output`,
    examples: [
      'troupe trace list ./traces --status failed',
      'troupe trace replay ./traces/3f9a1c0b7d2e.jsonl --speed 10',
      'troupe trace export 3f9a --html run.html',
      'troupe trace check ./traces/*.jsonl',
    ],
  },
  audit: {
    about: 'verify, search and report audit logs, and erase content from them',
    usage: 'verify|query|report|erase|export LOG',
    text: `LOG is the file of an audit log, or the folder of all; for export a stored run, by its id or the start of it.

  verify   names the first bad entry of each log (exit code 1)
  query    entries by time; all options have to hold
  report   what was asked of people, what they saw, what they decided, and how fast
  erase    removes content: entries and their hashes stay, and a further entry says so
  export   writes the log of a stored run to a folder (default: audit), as auditLog does while it runs

TIME is a date, a time such as 2026-11-20T17:15:00Z, or a duration before now such as 30d.`,
    options: `      --anchor FILE    verify: the anchored heads, which find a removed end; erase: adds the head to them
      --run RUN        query, report: of that run; erase: all content of it
      --agent NAME     query, report: of that agent
      --tool NAME      query, report: of that tool
      --person NAME    query, report: who answered, or for whom the run acted; erase: all content of these entries
      --rule RULE      query, report: decided by that rule
      --action ACTION  query, report: such as tool.end, permission.grant, run.abort, budget.end
      --outcome WORD   query, report: success, failure or denied
      --since TIME     query, report: at that time or later
      --until TIME     query, report: before that time
      --older-than AGE erase: all content that is older, such as 365d
      --on-behalf-of NAME  export: for whom the run acted`,
    examples: [
      'troupe audit verify ./audit --anchor ./anchors/audit.jsonl',
      'troupe audit query ./audit --action permission.grant --since 7d',
      'troupe audit report ./audit --since 2026-11-01 --json',
      'troupe audit erase ./audit --person ada@example.com --anchor ./anchors/audit.jsonl',
      'troupe audit export 3f9a ./audit --store runs.db',
    ],
  },
};
