import { isJsonObject, type Json, type JsonObject, toJson } from '../../src/base/json/json.ts';
import type { SeenRequest } from './mock-provider.ts';

/**
 * What a provider would refuse in a request, one line each: the rules of the vendors' documentation as code, written
 * apart from the adapters, so that both do not share a mistake.
 */
export const requestProblems = ({ path, body }: Pick<SeenRequest, 'path' | 'body'>): readonly string[] => {
  const plain = toJson(body);
  if (!isJsonObject(plain)) return ['the body is not an object'];
  if (path.endsWith('/chat/completions')) return chatProblems(plain);
  if (path.endsWith('/responses')) return responsesProblems(plain);
  if (path.endsWith('/messages')) return anthropicProblems(plain);
  return [`nobody listens at ${path}`];
};

const LEGAL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const objects = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const hasText = (value: Json | undefined): boolean => typeof value === 'string' && value.trim() !== '';

const shown = (value: Json | undefined): string => JSON.stringify(value ?? null);

/** Collects what is wrong, and pairs calls with their results. */
class Findings {
  readonly problems: string[] = [];
  readonly #ids = new Set<string>();
  readonly #open = new Set<string>();

  say(isWrong: boolean, problem: string): void {
    if (isWrong) this.problems.push(problem);
  }

  called(id: Json | undefined, name: Json | undefined, where: string): void {
    if (typeof id !== 'string' || !LEGAL_NAME.test(id)) {
      this.problems.push(`${where} has an illegal call id: ${JSON.stringify(id)}`);
      return;
    }
    this.say(this.#ids.has(id), `${where} uses the call id ${id} a second time`);
    this.say(
      typeof name !== 'string' || !LEGAL_NAME.test(name),
      `${where} calls ${shown(name)}, which is no name`,
    );
    this.#ids.add(id);
    this.#open.add(id);
  }

  answered(id: Json | undefined, text: Json | undefined, where: string): void {
    this.say(!hasText(text), `${where} is an empty result`);
    this.say(
      typeof id !== 'string' || !this.#open.delete(id),
      `${where} answers ${shown(id)}, which is no open call`,
    );
  }

  /** From here on, no result may be missing. */
  settled(where: string): void {
    for (const id of this.#open) this.problems.push(`${where} comes before the result of ${id}`);
    this.#open.clear();
  }

  argumentsOf(text: Json | undefined, where: string): void {
    let parsed: unknown;
    try {
      parsed = typeof text === 'string' ? JSON.parse(text) : text;
    } catch {
      parsed = undefined;
    }
    this.say(!isJsonObject(parsed), `${where} has arguments that are no JSON object`);
  }

  tools(names: readonly (Json | undefined)[]): void {
    for (const name of names)
      this.say(typeof name !== 'string' || !LEGAL_NAME.test(name), `no tool may be called ${shown(name)}`);
    this.say(new Set(names).size !== names.length, 'two tools have one name');
  }
}

const chatProblems = (body: JsonObject): readonly string[] => {
  const findings = new Findings();
  const messages = objects(body['messages']);
  findings.tools(objects(body['tools']).map((tool) => objects([tool['function'] ?? null])[0]?.['name']));
  messages.forEach((message, index) => {
    const where = `message ${index}`;
    const { role, content } = message;
    const calls = objects(message['tool_calls']);
    if (role !== 'tool') findings.settled(where);
    switch (role) {
      case 'system':
        findings.say(
          index > 0 || !hasText(content),
          `${where} is a system prompt in the wrong place, or empty`,
        );
        break;
      case 'user':
        findings.say(!hasText(content), `${where} is empty`);
        break;
      case 'assistant':
        findings.say(content === '' || (calls.length === 0 && !hasText(content)), `${where} is empty`);
        for (const call of calls) {
          const [called] = objects([call['function'] ?? null]);
          findings.called(call['id'], called?.['name'], where);
          findings.argumentsOf(called?.['arguments'], where);
        }
        break;
      case 'tool':
        findings.answered(message['tool_call_id'], content, where);
        break;
      default:
        findings.problems.push(`${where} has the role ${shown(role)}`);
    }
  });
  findings.settled('the end');
  const spoken = messages.filter(({ role }) => role !== 'system');
  findings.say(spoken[0]?.['role'] !== 'user', 'it does not begin with the user');
  findings.say(spoken.at(-1)?.['role'] === 'assistant', 'it ends with the assistant');
  return findings.problems;
};

const responsesProblems = (body: JsonObject): readonly string[] => {
  const findings = new Findings();
  const items = objects(body['input']);
  findings.tools(objects(body['tools']).map(({ name }) => name));
  items.forEach((item, index) => {
    const where = `item ${index}`;
    switch (item['type'] ?? 'message') {
      case 'message':
        findings.settled(where);
        findings.say(
          item['role'] !== 'user' && item['role'] !== 'assistant',
          `${where} has the role ${shown(item['role'])}`,
        );
        findings.say(
          !hasText(item['content']) && objects(item['content']).length === 0,
          `${where} has no content`,
        );
        break;
      case 'function_call':
        findings.called(item['call_id'], item['name'], where);
        findings.argumentsOf(item['arguments'], where);
        break;
      case 'function_call_output':
        findings.answered(item['call_id'], item['output'], where);
        break;
      case 'reasoning': {
        const next = items[index + 1];
        const nextType = next?.['type'] ?? (next?.['role'] === 'assistant' ? 'message' : undefined);
        findings.say(!hasText(item['encrypted_content']), `${where} is reasoning that nobody can read back`);
        findings.say(
          nextType !== 'message' && nextType !== 'function_call' && nextType !== 'reasoning',
          `${where} is reasoning without what came of it`,
        );
        break;
      }
      default:
    }
  });
  findings.settled('the end');
  findings.say(items[0]?.['role'] !== 'user', 'it does not begin with the user');
  findings.say(
    items.at(-1)?.['role'] !== 'user' && items.at(-1)?.['type'] !== 'function_call_output',
    'it ends with the model',
  );
  return findings.problems;
};

/** More marks than this are refused. */
const MAX_CACHE_MARKS = 4;

const anthropicProblems = (body: JsonObject): readonly string[] => {
  const findings = new Findings();
  const messages = objects(body['messages']);
  const tools = objects(body['tools']);
  findings.tools(tools.map(({ name }) => name));
  findings.say(
    typeof body['max_tokens'] !== 'number' || body['max_tokens'] <= 0,
    'max_tokens is not a number',
  );
  findings.say(
    objects(body['system']).some(({ text }) => !hasText(text)),
    'the system prompt has an empty block',
  );
  findings.say(
    JSON.stringify(body).split('"cache_control"').length - 1 > MAX_CACHE_MARKS,
    'there are too many cache marks',
  );
  let before: JsonObject | undefined;
  messages.forEach((message, index) => {
    const where = `message ${index}`;
    const blocks = objects(message['content']);
    const { role } = message;
    findings.say(role === before?.['role'], `${where} has the role of the one before`);
    findings.say(blocks.length === 0, `${where} is empty`);
    if (role === 'user') {
      const firstText = blocks.findIndex(({ type }) => type === 'text');
      blocks.forEach((block, at) => {
        if (block['type'] === 'tool_result') {
          findings.say(firstText >= 0 && at > firstText, `${where} has a result after words`);
          findings.answered(block['tool_use_id'], block['content'], where);
        } else findings.say(!hasText(block['text']), `${where} has an empty text`);
      });
      findings.settled(`the end of ${where}`);
    } else if (role === 'assistant') {
      findings.settled(where);
      for (const block of blocks) {
        if (block['type'] === 'text') findings.say(!hasText(block['text']), `${where} has an empty text`);
        if (block['type'] === 'thinking')
          findings.say(!hasText(block['signature']), `${where} has thoughts without a signature`);
        if (block['type'] !== 'tool_use') continue;
        findings.called(block['id'], block['name'], where);
        findings.say(!isJsonObject(block['input']), `${where} has arguments that are not an object`);
        findings.say(tools.length === 0, `${where} calls a tool, and the request has none`);
      }
    } else findings.problems.push(`${where} has the role ${shown(role)}`);
    before = message;
  });
  findings.settled('the end');
  findings.say(messages[0]?.['role'] !== 'user', 'it does not begin with the user');
  return findings.problems;
};
