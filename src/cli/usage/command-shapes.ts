/** All options, in the form of Node's `parseArgs`. */
export const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  model: { type: 'string', short: 'm' },
  store: { type: 'string' },
  debug: { type: 'boolean' },
  'no-color': { type: 'boolean' },
  data: { type: 'boolean' },
  export: { type: 'string' },
  file: { type: 'string' },
  agent: { type: 'string' },
  budget: { type: 'string' },
  memory: { type: 'string' },
  park: { type: 'boolean' },
  reveal: { type: 'boolean' },
  status: { type: 'string' },
  limit: { type: 'string' },
  target: { type: 'string' },
  step: { type: 'string' },
  call: { type: 'string' },
  'all-due': { type: 'boolean' },
  at: { type: 'string' },
  event: { type: 'string' },
  text: { type: 'string' },
  calls: { type: 'string' },
  state: { type: 'string' },
  message: { type: 'string' },
  input: { type: 'string' },
  reason: { type: 'string' },
  request: { type: 'string' },
  by: { type: 'string' },
  role: { type: 'string' },
  resume: { type: 'boolean' },
  'older-than': { type: 'string' },
  'dry-run': { type: 'boolean' },
  blobs: { type: 'string' },
  trace: { type: 'string' },
  speed: { type: 'string' },
  html: { type: 'string' },
  mermaid: { type: 'string' },
  report: { type: 'string' },
  sign: { type: 'string' },
  against: { type: 'string' },
  key: { type: 'string' },
  ndjson: { type: 'boolean' },
  svg: { type: 'boolean' },
  of: { type: 'string' },
  taken: { type: 'boolean' },
  unproven: { type: 'boolean' },
  candidate: { type: 'string' },
  over: { type: 'string' },
  to: { type: 'string' },
  check: { type: 'string' },
  depth: { type: 'string' },
  live: { type: 'boolean' },
  tools: { type: 'string' },
  fails: { type: 'string' },
  samples: { type: 'string' },
  write: { type: 'string' },
  anchor: { type: 'string' },
  run: { type: 'string' },
  tool: { type: 'string' },
  person: { type: 'string' },
  rule: { type: 'string' },
  action: { type: 'string' },
  outcome: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  'on-behalf-of': { type: 'string' },
  inspect: { type: 'boolean' },
  port: { type: 'string' },
  control: { type: 'boolean' },
  open: { type: 'boolean' },
  wait: { type: 'boolean' },
  host: { type: 'string' },
  origin: { type: 'string' },
  openai: { type: 'boolean' },
  template: { type: 'string' },
  provider: { type: 'string' },
  serve: { type: 'boolean' },
  enqueue: { type: 'boolean' },
  concurrency: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  judges: { type: 'boolean' },
  approve: { type: 'boolean' },
  tries: { type: 'string' },
  junit: { type: 'string' },
  faults: { type: 'string' },
  tested: { type: 'string' },
  comment: { type: 'string' },
  expected: { type: 'string' },
  evaluator: { type: 'string' },
  path: { type: 'string' },
  seed: { type: 'string' },
  runs: { type: 'string' },
  days: { type: 'string' },
  script: { type: 'string' },
  orders: { type: 'boolean' },
} as const;

/** Options of every command. */
type SharedOption = 'help' | 'version' | 'json' | 'quiet' | 'model' | 'store' | 'debug' | 'no-color';

/** An option that only some commands have. */
export type OptionName = Exclude<keyof typeof options, SharedOption>;

const SHARED: readonly string[] = [
  'help',
  'version',
  'json',
  'quiet',
  'model',
  'store',
  'debug',
  'no-color',
] satisfies SharedOption[];

/** Checks whether an option belongs to some commands only. */
export const isOwnOption = (name: string): boolean => !SHARED.includes(name);

/** Arguments of a command, beside the common options. */
export interface CommandShape {
  /** Required arguments, in order: the message for a missing one. */
  readonly needs: readonly string[];
  /** Number of optional arguments. */
  readonly optional: number;
  readonly options: readonly OptionName[];
}

const FILE = 'no file was named: give the module that exports the agent';
const RUN = 'no run was named: troupe runs lists them';

export type CommandName =
  | 'new'
  | 'ask'
  | 'run'
  | 'inspect'
  | 'dev'
  | 'graph'
  | 'mcp'
  | 'serve'
  | 'worker'
  | 'runs'
  | 'show'
  | 'resume'
  | 'replay'
  | 'fork'
  | 'compare'
  | 'suggest'
  | 'rehearse'
  | 'upgrade'
  | 'eval'
  | 'feedback'
  | 'resilience'
  | 'coverage'
  | 'blame'
  | 'verify'
  | 'simulate'
  | 'approve'
  | 'deny'
  | 'answer'
  | 'export'
  | 'import'
  | 'move'
  | 'prune'
  | 'schedules'
  | 'trace'
  | 'audit';

const INSPECTED: readonly OptionName[] = ['inspect', 'port', 'control', 'open', 'wait'];

/** All commands. */
export const shapes: Readonly<Record<CommandName, CommandShape>> = {
  new: { needs: [], optional: 1, options: ['template', 'provider', 'serve', 'yes'] },
  ask: { needs: [], optional: 2, options: ['budget', 'memory', 'park', 'reveal', 'trace', ...INSPECTED] },
  run: { needs: [FILE], optional: 1, options: ['data', 'export', 'park', 'reveal', 'trace', ...INSPECTED] },
  inspect: {
    needs: [],
    optional: 2,
    options: ['data', 'export', 'blobs', 'port', 'control', 'open', 'wait'],
  },
  dev: { needs: [FILE], optional: 1, options: ['data', 'export', 'port', 'open', 'wait'] },
  graph: { needs: [FILE], optional: 0, options: ['export', 'of', 'svg', 'taken', 'limit'] },
  mcp: { needs: [FILE], optional: 0, options: ['export'] },
  serve: { needs: [FILE], optional: 0, options: ['export', 'port', 'host', 'origin', 'openai', 'enqueue'] },
  worker: { needs: [FILE], optional: 50, options: ['export', 'concurrency', 'port', 'host'] },
  runs: { needs: [], optional: 0, options: ['status', 'limit'] },
  show: { needs: [RUN], optional: 0, options: ['step', 'call'] },
  resume: { needs: [], optional: 1, options: ['all-due', 'agent', 'file', 'export', 'park', 'reveal'] },
  replay: { needs: [RUN], optional: 0, options: ['agent', 'file', 'export'] },
  fork: {
    needs: [RUN],
    optional: 0,
    options: [
      'at',
      'event',
      'message',
      'text',
      'calls',
      'state',
      'by',
      'agent',
      'file',
      'export',
      'park',
      'reveal',
    ],
  },
  compare: { needs: [RUN, 'a second run was not named: give both'], optional: 0, options: [] },
  suggest: { needs: [], optional: 0, options: ['target', 'limit', 'unproven', 'agent', 'file', 'export'] },
  rehearse: {
    needs: [],
    optional: 0,
    options: ['candidate', 'over', 'export', 'run', 'limit', 'live', 'tools', 'budget'],
  },
  upgrade: { needs: [], optional: 0, options: ['check', 'over', 'export'] },
  eval: {
    needs: ['no file was named: give the module that exports the eval'],
    optional: 0,
    options: [
      'over',
      'candidate',
      'export',
      'tries',
      'concurrency',
      'limit',
      'budget',
      'judges',
      'tools',
      'junit',
      'html',
    ],
  },
  feedback: {
    needs: [RUN],
    optional: 1,
    options: ['comment', 'expected', 'data', 'evaluator', 'by', 'path', 'step', 'call'],
  },
  resilience: {
    needs: [FILE],
    optional: 1,
    options: ['data', 'export', 'faults', 'approve', 'limit', 'html'],
  },
  coverage: { needs: [FILE], optional: 0, options: ['over', 'tested', 'export', 'limit', 'mermaid'] },
  blame: {
    needs: [RUN],
    optional: 0,
    options: ['fails', 'agent', 'file', 'export', 'live', 'tools', 'budget', 'samples', 'limit', 'write'],
  },
  verify: {
    needs: [FILE],
    optional: 0,
    options: ['over', 'run', 'limit', 'depth', 'mermaid', 'report', 'sign', 'against', 'key', 'export'],
  },
  simulate: {
    needs: [FILE],
    optional: 0,
    options: ['seed', 'runs', 'days', 'script', 'orders', 'write', 'html', 'export'],
  },
  approve: { needs: [RUN], optional: 1, options: ['input', 'by', 'role', 'resume'] },
  deny: { needs: [RUN], optional: 1, options: ['reason', 'by', 'resume'] },
  answer: {
    needs: [RUN, 'no answer was given: put it after the run'],
    optional: 0,
    options: ['request', 'resume'],
  },
  export: { needs: [RUN], optional: 1, options: [] },
  import: {
    needs: ['no file was named: give one that troupe export wrote'],
    optional: 0,
    options: ['agent', 'export'],
  },
  move: { needs: [RUN], optional: 0, options: ['to'] },
  prune: { needs: [], optional: 0, options: ['older-than', 'status', 'blobs', 'dry-run'] },
  schedules: {
    needs: ['the subcommand is missing: list, pause, resume or remove'],
    optional: 1,
    options: [],
  },
  trace: {
    needs: ['the subcommand is missing: list, show, replay, export or check'],
    optional: 1_000,
    options: ['status', 'limit', 'speed', 'html', 'mermaid', 'ndjson'],
  },
  audit: {
    needs: ['the subcommand is missing: verify, query, report, erase or export'],
    optional: 1_000,
    options: [
      'anchor',
      'run',
      'agent',
      'tool',
      'person',
      'rule',
      'action',
      'outcome',
      'since',
      'until',
      'older-than',
      'on-behalf-of',
    ],
  },
};

export const commandNames: readonly string[] = Object.keys(shapes);

export const isCommand = (name: string): name is CommandName => commandNames.includes(name);
