import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import type { ToolResult, ToolSuccess } from '../../contracts/tools/tool-result.ts';

/** Maximum number of cached results; the least recently used are dropped. */
const MAX_ANSWERS = 256;

/** Cached results of a run's cacheable tools, by tool and input. Nothing is allocated before the first is stored. */
export class CallCache {
  #answers: Map<string, ToolSuccess> | undefined;
  #tools: Map<Tool, number> | undefined;
  /** Grows with every change: a result requested before a change is not stored after it. */
  #epoch = 0;

  /** Returns a cached result; the order of keys in the input does not matter. */
  find(tool: Tool, input: Json): ToolSuccess | undefined {
    const answers = this.#answers;
    if (answers === undefined) return undefined;
    const key = this.#keyOf(tool, input);
    const found = answers.get(key);
    if (found === undefined) return undefined;
    answers.delete(key);
    answers.set(key, found);
    return found;
  }

  /** Returns a function that stores the result of a call that starts now, unless something changes meanwhile. */
  keeper(tool: Tool, input: Json): (result: ToolResult) => void {
    const epoch = this.#epoch;
    return (result) => {
      if (!result.ok || result.control !== undefined || epoch !== this.#epoch) return;
      const answers = (this.#answers ??= new Map<string, ToolSuccess>());
      answers.set(this.#keyOf(tool, input), result);
      const [oldest] = answers.keys();
      if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest);
    };
  }

  /** Invalidates all cached results: something changed. */
  forget(): void {
    this.#epoch += 1;
    this.#answers?.clear();
  }

  /** Two agents of a run may have tools of one name. */
  #keyOf(tool: Tool, input: Json): string {
    const tools = (this.#tools ??= new Map<Tool, number>());
    const number = tools.get(tool) ?? tools.size;
    tools.set(tool, number);
    return `${number} ${canonical(input)}`;
  }
}
