import type { ListedStatus } from './option-values.ts';
import type { DiagramSubject } from '../../machines/diagrams/composition.ts';
import type { RunPoint } from '../../runtime/journal/resume/run-point.ts';
import type { Approver } from '../../contracts/people/approval-terms.ts';
import type { StoredStatus } from '../../contracts/journals/journal.ts';
import type { CommandName } from './command-shapes.ts';
import type { InspectorRequest } from './inspector-request.ts';
import type { NamedModule } from './named-module.ts';
import type { Target } from '../../inspect/suggestions/suggestion.ts';
import type { NewCommand } from '../new/new-command.ts';
import type { EvalCommand, FeedbackCommand, ResilienceCommand } from '../evals/eval-command.ts';
import type { CoverageCommand } from '../coverage/coverage-command.ts';
import type { AuditCommand } from '../audit/audit-command.ts';
import type { SimulateCommand } from '../simulate/simulate-command.ts';
import type { VerifyCommand } from '../verify/verify-command.ts';
import type { TraceCommand } from '../trace/trace-command.ts';

/** The module with the agent of a stored run, if it is not on record or another is wanted. */
export interface Code {
  readonly file: string | undefined;
  readonly exportName: string | undefined;
  /** The option that names it. */
  readonly option?: '--agent' | '--file' | undefined;
}

/** A parsed command line. */
export type Command =
  | { readonly name: 'help'; readonly about: CommandName | undefined }
  | { readonly name: 'version' }
  | NewCommand
  | AskCommand
  | RunCommand
  | InspectCommand
  | InspectProgramCommand
  | DevCommand
  | GraphCommand
  | McpCommand
  | ServeCommand
  | WorkerCommand
  | RunsCommand
  | ShowCommand
  | ResumeCommand
  | (Code & { readonly name: 'replay'; readonly runId: string })
  | ForkCommand
  | { readonly name: 'compare'; readonly runId: string; readonly other: string }
  | SuggestCommand
  | RehearseCommand
  | UpgradeCommand
  | EvalCommand
  | FeedbackCommand
  | ResilienceCommand
  | CoverageCommand
  | BlameCommand
  | VerifyCommand
  | SimulateCommand
  | AnswerCommand
  | { readonly name: 'export'; readonly runId: string; readonly to: string | undefined }
  | ImportCommand
  | MoveCommand
  | PruneCommand
  | SchedulesCommand
  | TraceCommand
  | AuditCommand;

/** Moves a run to another store. */
export interface MoveCommand {
  readonly name: 'move';
  readonly runId: string;
  /** As `--store` names one. */
  readonly to: string;
}

export interface ShowCommand {
  readonly name: 'show';
  readonly runId: string;
  readonly step: number | undefined;
  /** A model call: the end of its key, or its number. */
  readonly call: string | undefined;
}

export interface AskCommand {
  readonly name: 'ask';
  readonly question: string | undefined;
  readonly folder: string | undefined;
  /** In US dollars. */
  readonly budget: number | undefined;
  /** A folder. */
  readonly memory: string | undefined;
  /** A folder of traces. */
  readonly trace: string | undefined;
  readonly inspect: InspectorRequest | undefined;
  readonly isParked: boolean;
}

/** A command of another program, in whose processes each run is shown. */
export interface InspectProgramCommand {
  readonly name: 'inspect-program';
  /** The program and its arguments. */
  readonly program: readonly [string, ...string[]];
  readonly wish: InspectorRequest;
}

/** With `input` the agent is run; without `file` stored runs are shown. */
export interface InspectCommand {
  readonly name: 'inspect';
  readonly file: string | undefined;
  readonly input: string | undefined;
  readonly isData: boolean;
  readonly exportName: string | undefined;
  /** A folder with the bytes of media of stored runs. */
  readonly blobs: string | undefined;
  readonly wish: InspectorRequest;
}

/** A file that is shown, and run again when it changes. */
export interface DevCommand {
  readonly name: 'dev';
  readonly file: string;
  readonly exportName: string | undefined;
  readonly input: string | undefined;
  readonly isData: boolean;
  readonly wish: InspectorRequest;
}

export interface GraphCommand {
  readonly name: 'graph';
  readonly file: string;
  readonly exportName: string | undefined;
  /** Its composition; with `--taken`, its chart. */
  readonly of: DiagramSubject;
  readonly isSvg: boolean;
  /** True to include coverage of stored runs. */
  readonly isTaken: boolean;
  /** At most that many of them. */
  readonly limit: number;
}

/** The agents of a module as a server of MCP. */
export interface McpCommand extends NamedModule {
  readonly name: 'mcp';
}

/** The agents of a module as a server over HTTP. */
export interface ServeCommand extends NamedModule {
  readonly name: 'serve';
  /** 0 is any that is free. */
  readonly port: number;
  /** The address to listen on. */
  readonly host: string;
  /** Origins whose pages may call it. */
  readonly origins: readonly string[];
  /** Serves them as models of OpenAI, too. */
  readonly openai: boolean;
  /** Enters runs in the store, and leaves them to workers. */
  readonly isEntrance: boolean;
}

/** The agents of modules as a worker, which executes the runs of a store. */
export interface WorkerCommand {
  readonly name: 'worker';
  readonly modules: readonly NamedModule[];
  /** Runs at once, at most. */
  readonly concurrency: number;
  /** Of the addresses for probes and metrics; undefined for none. */
  readonly port: number | undefined;
  readonly host: string;
}

export interface RunCommand {
  readonly name: 'run';
  readonly file: string;
  readonly input: string | undefined;
  readonly isData: boolean;
  readonly exportName: string | undefined;
  /** A folder of traces. */
  readonly trace: string | undefined;
  readonly inspect: InspectorRequest | undefined;
  readonly isParked: boolean;
}

export interface RunsCommand {
  readonly name: 'runs';
  readonly status: readonly ListedStatus[] | undefined;
  readonly limit: number;
}

/** One run, or with `undefined` all that are due. */
export interface ResumeCommand extends Code {
  readonly name: 'resume';
  readonly runId: string | undefined;
  readonly isParked: boolean;
}

export interface ForkCommand extends Code {
  readonly name: 'fork';
  readonly runId: string;
  /** The step of the root agent that is repeated, or an event. */
  readonly at: RunPoint;
  readonly message: string | undefined;
  /** In place of the text of the event. */
  readonly text: string | undefined;
  /** In place of the calls of the event, a model's answer: JSON, or `@FILE`. */
  readonly calls: string | undefined;
  /** In place of the state at the point: JSON, or `@FILE`. */
  readonly state: string | undefined;
  /** The person who forks it. */
  readonly by: string | undefined;
  readonly isParked: boolean;
}

export interface SuggestCommand extends Code {
  readonly name: 'suggest';
  readonly target: Target;
  /** The newest that many runs are looked at. */
  readonly limit: number;
  /** Those that are not proven, too. */
  readonly isUnprovenShown: boolean;
}

/** A changed agent that is driven through stored runs. */
export interface RehearseCommand extends NamedModule {
  readonly name: 'rehearse';
  /** One run; default: the newest `limit` of the agent's. */
  readonly run: string | undefined;
  readonly limit: number;
  /** True to go on live where a run differs. */
  readonly isLive: boolean;
  readonly tools: 'recorded' | 'read';
  /** In US dollars. */
  readonly budget: number | undefined;
}

/** A new version of agents, checked against the runs that are under way. */
export interface UpgradeCommand extends NamedModule {
  readonly name: 'upgrade';
}

/** A search for what a stored run failed by. */
export interface BlameCommand extends Code {
  readonly name: 'blame';
  readonly runId: string;
  /** The module with the check. */
  readonly check: NamedModule;
  readonly isLive: boolean;
  readonly tools: 'recorded' | 'read';
  /** In US dollars. */
  readonly budget: number | undefined;
  readonly samples: number | undefined;
  readonly limit: number | undefined;
  /** The file of the test that is written. */
  readonly write: string | undefined;
}

/** A person's answer to a waiting run: approval, denial, or text. */
export interface AnswerCommand {
  readonly name: 'approve' | 'deny' | 'answer';
  readonly runId: string;
  readonly request: string | undefined;
  /** The answer, or why not. */
  readonly text: string | undefined;
  /** JSON, in place of the call's own input. */
  readonly input: string | undefined;
  /** The person who answers, with their roles. */
  readonly by: Approver | undefined;
  readonly isResumed: boolean;
}

/** With `file`, the agent comes from that module. */
export interface ImportCommand extends Code {
  readonly name: 'import';
  readonly from: string;
}

/** A command on all schedules, or on one. */
export type SchedulesCommand =
  | { readonly name: 'schedules'; readonly verb: 'list' }
  | {
      readonly name: 'schedules';
      readonly verb: 'pause' | 'resume' | 'remove';
      readonly schedule: string;
    };

export interface PruneCommand {
  readonly name: 'prune';
  readonly olderThanMs: number;
  readonly status: readonly StoredStatus[] | undefined;
  /** A folder with the bytes of media. */
  readonly blobs: string | undefined;
  readonly isDryRun: boolean;
}
