/**
 * The task that everybody is given: call the tool `step` N times, one call per model turn, then answer.
 *
 * The "model" reads the last message only, so it costs the same everywhere. Everything is checked while it runs: order
 * and arguments of the calls, that each prompt holds the whole conversation, the answer, and the number of calls.
 */
export class Task {
  /** Called with the number of each tool call: what the flatness part measures between. */
  onCall = () => {};
  #expected = new Map();
  #toolCalls = 0;
  #modelCalls = 0;
  #runs = 0;

  constructor(steps) {
    this.steps = steps;
  }

  /** What an agent is told first. */
  prompt(agent) {
    return `run:${agent}`;
  }

  /** The model: the call to make, or the answer. `messages` is the length of the prompt it was shown. */
  decide(text, messages) {
    const [first, second] = text.split(':');
    const isStart = first === 'run';
    const agent = Number(isStart ? second : first);
    const done = isStart ? 0 : Number(second);
    if (messages !== 2 * done + 1) throw new Error(`a prompt of ${messages} messages after ${done} steps`);
    this.#modelCalls += 1;
    return done < this.steps ? { call: { agent, i: done } } : { text: this.answer(agent) };
  }

  /** The tool. */
  step = ({ agent, i }) => {
    const expected = this.#expected.get(agent) ?? 0;
    if (typeof agent !== 'number' || i !== expected) throw new Error(`call ${i}, expected ${expected}`);
    this.#expected.set(agent, i + 1);
    this.#toolCalls += 1;
    this.onCall(i);
    return `${agent}:${i + 1}`;
  };

  answer(agent) {
    return `done:${agent}:${this.steps}`;
  }

  /** Whether `agent` did all of it and said so. */
  check(agent, answer) {
    const calls = this.#expected.get(agent);
    this.#expected.delete(agent);
    this.#runs += 1;
    if (calls !== this.steps) throw new Error(`${calls} tool calls, expected ${this.steps}`);
    if (answer !== this.answer(agent)) throw new Error(`answered ${JSON.stringify(answer)}`);
  }

  /** Whether nobody did more than was asked. */
  checkTotals() {
    if (this.#toolCalls !== this.#runs * this.steps) throw new Error(`${this.#toolCalls} tool calls in all`);
    if (this.#modelCalls !== this.#runs * (this.steps + 1))
      throw new Error(`${this.#modelCalls} model calls in all`);
  }
}
