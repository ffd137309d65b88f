/** A place in the options of an agent, a run, a team or a tool, and the advice for those that have it. */
type Advice = readonly [place: string, advice: string];

/** Only runs, only teams and only models have these: their options differ by them. */
const OF_A_RUN = 'runId';
const OF_A_TEAM = 'limits.memberTimeMs';
const OF_A_MODEL = 'takes';

const steps: readonly Advice[] = [
  ['stop', 'write `stop: maxSteps(20)`, or `limits: { budget: { steps: 20 } }`'],
  ['limits.budget', 'write `limits: { budget: { steps: 20 } }`'],
];
const time: readonly Advice[] = [
  ['limits.budget', 'write `limits: { budget: { timeMs: 60_000 } }`'],
  [
    OF_A_MODEL,
    'it belongs to the agent: write `agent({ failures: { retry: { attemptTimeoutMs: 60_000 } } })`',
  ],
];
const cost: readonly Advice[] = [['limits.budget', 'write `limits: { budget: { usd: 0.5 } }`']];
const observers: readonly Advice[] = [['hooks', 'write `hooks: [{ name, handle(event) { … } }]`']];
const retries: readonly Advice[] = [
  ['failures.retry', 'write `failures: { retry: { attempts: 3 } }`'],
  [OF_A_RUN, 'it belongs to the agent: write `agent({ failures: { retry: { attempts: 3 } } })`'],
  [OF_A_MODEL, 'it belongs to the agent: write `agent({ failures: { retry: { attempts: 3 } } })`'],
];
const ofTheAgent = (place: string, written: string, inAgent: string): readonly Advice[] => [
  [place, `write \`${written}\``],
  [OF_A_RUN, `it belongs to the agent: write \`agent({ ${inAgent} })\``],
  [OF_A_TEAM, `it belongs to its members: write \`agent({ ${inAgent} })\``],
];
const instructions = ofTheAgent('instructions', 'instructions', 'instructions');
/** A setting of model calls: within `settings`, the place is the name alone. */
const setting = (name: string, value: string): readonly Advice[] => [
  ...ofTheAgent(`settings.${name}`, `settings: { ${name}: ${value} }`, `settings: { ${name}: ${value} }`),
  [name, `write \`${name}: ${value}\``],
  [OF_A_MODEL, `it belongs to the agent: write \`agent({ settings: { ${name}: ${value} } })\``],
];
const outputTokens = setting('maxOutputTokens', '4_000');
const topP = setting('topP', '0.9');
const topK = setting('topK', '40');
const stopTexts = setting('stop', "['END']");
const seed = setting('seed', '7');
const presencePenalty = setting('presencePenalty', '0.5');
const frequencyPenalty = setting('frequencyPenalty', '0.5');
const parallelCalls = setting('parallelCalls', 'false');
const toolChoice = setting('toolChoice', "'required'");
const effort = setting('reasoning', "'low'");
const thinking = setting('reasoning', '{ budgetTokens: 4_000 }');
const serviceTier = setting('serviceTier', "'flex'");
const headers = setting('headers', "{ 'x-team': 'desk' }");
const providerOptions = setting('providerOptions', '{ openai: { … } }');
const output = ofTheAgent('output', 'output', 'output');
const thread: readonly Advice[] = [['thread', 'write `thread`']];
const execute: readonly Advice[] = [['execute', 'write `execute`']];

/** Options as other runtimes call them, in lower case and without underscores, with ours. The first place that an options object has counts. */
export const foreignOptions: Readonly<Record<string, readonly Advice[] | undefined>> = {
  maxsteps: steps,
  maxturns: steps,
  maxiterations: steps,
  recursionlimit: steps,
  stopwhen: steps,
  timeout: time,
  timeoutms: time,
  maxtime: time,
  maxcost: cost,
  maxbudget: cost,
  onfinish: observers,
  onstepfinish: observers,
  onerror: observers,
  onevent: observers,
  callbacks: observers,
  verbose: observers,
  logger: observers,
  maxretries: retries,
  retries,
  system: instructions,
  systemprompt: instructions,
  systemmessage: instructions,
  prompt: instructions,
  temperature: setting('temperature', '0'),
  maxtokens: outputTokens,
  maxoutputtokens: outputTokens,
  maxcompletiontokens: outputTokens,
  topp: topP,
  topk: topK,
  stopsequences: stopTexts,
  seed,
  randomseed: seed,
  presencepenalty: presencePenalty,
  frequencypenalty: frequencyPenalty,
  paralleltoolcalls: parallelCalls,
  disableparalleltooluse: parallelCalls,
  toolchoice: toolChoice,
  reasoning: effort,
  reasoningeffort: effort,
  thinking,
  thinkingbudget: thinking,
  budgettokens: thinking,
  servicetier: serviceTier,
  extraheaders: headers,
  defaultheaders: headers,
  provideroptions: providerOptions,
  extrabody: [['extra', 'write `extra: { … }`'], ...providerOptions],
  outputschema: output,
  outputtype: output,
  responseformat: output,
  llm: [['model', "write `model`, such as `model: 'openai:gpt-5'`"]],
  abortsignal: [['signal', 'write `signal`']],
  sessionid: thread,
  threadid: thread,
  conversationid: thread,
  messages: [['history', 'write `history`']],
  checkpointer: [['store', 'write `store`, one of troupe/stores']],
  agents: [['members', 'write `members`']],
  parameters: [['input', 'write `input`']],
  inputschema: [['input', 'write `input`']],
  handler: execute,
  func: execute,
};
