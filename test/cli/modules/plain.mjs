// Plain JavaScript, and an agent of a copy of troupe that this process does not know: only its shape counts.
const result = Promise.resolve({
  status: 'completed',
  output: 'from plain JavaScript',
  stopReason: { kind: 'answered' },
  events: [],
  totals: {
    steps: 1,
    modelCalls: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    retries: 0,
    durationMs: 1,
  },
});

export default {
  name: 'plain',
  run: () => result,
  stream: () => ({ events$: { subscribe: () => undefined }, result }),
  diagram: () => 'stateDiagram-v2\n  [*] --> here',
};
