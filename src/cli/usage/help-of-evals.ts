import type { HelpText } from './help-text.ts';

/** Help texts of the commands that measure agents. */
export const helpOfEvals: Readonly<
  Record<'eval' | 'feedback' | 'resilience' | 'simulate' | 'coverage', HelpText>
> = {
  eval: {
    about: 'run evals: cases, evaluators and gates; grade stored runs; compare candidates',
    usage: 'FILE',
    text: `FILE exports one or several evals: export default defineEval({ … }). The agent is run for each case of the dataset, each run is graded by the
evaluators, and the gates judge the whole. Runs are kept where --store names a store, and nowhere else.
With --over, the stored runs of the agent are graded in place of the dataset, for nothing: no agent is run, and no model asked but with --judges.
With --candidate, another agent is compared with that of the eval, on the same cases; with --over on the same stored runs, of which only what
differs is asked anew, in forks that are thrown away.
Exit code 0 if all gates pass, 1 if one fails, not all cases were run, or the candidate is worse. With --json, one line for each eval: its report,
or the comparison.`,
    options: `      --over STORE     grade the stored runs of the agent
      --candidate FILE the module that exports the other agent; also FILE#NAME
      --export NAME    only this eval; also FILE#NAME
      --tries N        runs of each case (default: as the eval says, else 1)
      --concurrency N  runs at once (default: as the eval says, else 4)
      --limit N        only the first N cases, or the newest N stored runs
      --budget USD     for all runs and judges together
      --judges         with --over: ask the models of judges, too
      --tools WHICH    with --over and --candidate: recorded (default), or read
      --junit FILE     write JUnit's XML, for continuous integration
      --html FILE      write a page`,
    examples: [
      'troupe eval capitals.eval.ts',
      'troupe eval capitals.eval.ts --tries 5 --junit evals.xml --html evals.html',
      'troupe eval capitals.eval.ts --over runs.db',
      'troupe eval capitals.eval.ts --candidate clerk-2.ts --over runs.db --budget 2',
    ],
  },
  feedback: {
    about: 'keep what a person says of a stored run, or list what was said',
    usage: 'RUN [good|bad]',
    text: `RUN is the id of a run, or its first four or more characters. Feedback is kept beside the run, which is not changed, and may be about a step or a
call of it. Evals read it: what a person found good, or corrected, is expected (datasets.runs), and with --over an evaluator's verdicts are
compared with those of people. Without good, bad, --comment or --expected it is listed. With --json, one line for each.`,
    options: `      --comment TEXT   why
      --expected TEXT  the answer that would have been right
      --data           that answer is JSON
      --evaluator NAME the evaluator whose criterion it is about (default: the run as a whole)
      --by NAME        who says it
      --path PATH      about the agent at that address
      --step N         about that step
      --call ID        about that call of a tool, such as call_0_0`,
    examples: [
      'troupe feedback 3f9a bad --expected 42 --comment "The unit is wrong." --by Ada',
      'troupe feedback 3f9a bad --step 2 --call call_2_0 --comment "The wrong account."',
      'troupe feedback 3f9a',
    ],
  },
  resilience: {
    about: 'inject faults into all that an agent depends on, and say what comes of each',
    usage: 'FILE [INPUT]',
    text: `Runs the task twice without a fault, and says what differs by itself; then again and again, each time with one: models that answer 503, 429, 401, garbage, half an answer, nothing,
or never; tools that throw, hang, are slow or return garbage; a store that fails or loses the lease; a process that is killed at each write,
and its run resumed. Time is virtual: what waits takes none. Requests that were in the first run are answered as there; others go to the model.
THE TOOLS OF THE AGENT ARE EXECUTED AGAIN AND AGAIN: name a FILE whose tools may be.
Each fault is shown with its outcome: same answer, another answer, ended in order, failed, waits for a person, hung, or not reached. A weak point
is a run that hangs, a call executed twice that must not be, garbage or an error that is taken for an answer, and a fault that passes and yet is
not got over; each is named with what mends it. FILE may export further options of injectFaults as \`resilience\`.
Exit code 0 without a weak point, else 1. With --json, one line for each fault, then one for all.`,
    options: `      --data           INPUT is JSON, for an agent whose input has a schema
      --export NAME    export to run, if there are several; also FILE#NAME
      --faults LIST    only those of model,tool,store,process
      --approve        approve each call that needs a yes
      --limit N        places of each kind of fault, at most (default: 10)
      --html FILE      write a page`,
    examples: [
      'troupe resilience clerk.ts "The weather in Oslo?"',
      'troupe resilience team.ts "Plan a trip." --faults model,tool --html resilience.html',
    ],
  },
  simulate: {
    about: 'run an agent in simulated worlds, each made by a seed, and shrink what fails',
    usage: 'FILE',
    text: `Each seed makes one run: what models and tools answer, when, in which order, and what fails; what people and callers do; and when the
process is killed, and the run resumed. Time is virtual: a week takes none. The same seed makes the same log.
Each run is judged by what holds in every run (it ends once, and nothing is left or done twice; a replay makes the same), by \`properties\` that FILE
exports, and by \`check\` of its export \`simulation\`, which has the other options of simulate(), too; its \`make\` makes the agent for each run.
Agents without a scripted or offline model have a generated one; the tools that it calls are not executed. WITH A MODEL OF ITS OWN, OR
tools: 'executed', THE TOOLS OF THE AGENT ARE EXECUTED AGAIN AND AGAIN.
What fails is shown with its shortest story and its script. With --orders, all orders of what is ready at the same time are tried in one run: what
gets stuck in one of them, and if the result depends on them.
Exit code 0 if nothing failed, else 1. With --json, one object.`,
    options: `      --seed N         the first seed (default: 1); with --orders, whose answers they are (default: calm ones)
      --runs N         seeds, one for each run (default: 100), or orders, at most (default: 2000)
      --days N         as many days as that, by the virtual clock, all runs together
      --script FILE    replay that script, and nothing else; with --orders, in all orders
      --orders         try all orders
      --write FILE     write the script of the first failure
      --html FILE      write a page
      --export NAME    export to run, if there are several; also FILE#NAME`,
    examples: [
      'troupe simulate team.ts',
      'troupe simulate team.ts --days 1000 --html simulation.html',
      'troupe simulate team.ts --seed 46 --runs 1 --write failing.json',
      'troupe simulate team.ts --script failing.json',
      'troupe simulate team.ts --orders',
    ],
  },
  coverage: {
    about: 'say which states and arrows of its charts the stored runs of an agent have seen',
    usage: 'FILE',
    text: `The stored runs of the agent or team that FILE exports are replayed, and counted: states, arrows and guards of its own chart and of those of its
members. What was never seen is listed. Runs that are not what the charts do now are left out, and named. With --tested, another store has the
runs of tests or evals: what production has seen and tests have not, and the other way.
What an agent cannot come to, as it lacks a critic, a recovery, an environment or a delegate, is left out. Exit code 1 where the store has no run
of the agent. With --json, one line for each chart: name, runs, left, actors, states, arrows, guards, beyond, never, untested, onlyTested.`,
    options: `      --over STORE     the store with the runs (default: as --store)
      --tested STORE   a store with the runs of tests or evals
      --export NAME    export to draw, if there are several; also FILE#NAME
      --limit N        of the newest N runs (default: 100)
      --mermaid FILE   write the charts as drawn, and as they were lived, as Markdown with Mermaid`,
    examples: [
      'troupe coverage clerk.ts --over runs.db',
      'troupe coverage team.ts --over runs.db --tested evals.db --mermaid lived.md',
    ],
  },
};
