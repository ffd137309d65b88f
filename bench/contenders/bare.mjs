/** The least that an agent loop can do: a model that is awaited, arguments as JSON text, a list of messages. */
export const start = (task) => {
  const model = async (messages) => {
    const chosen = task.decide(messages.at(-1).content, messages.length);
    if (chosen.text !== undefined) return { role: 'assistant', content: chosen.text };
    const call = { id: `c${messages.length}`, name: 'step', arguments: JSON.stringify(chosen.call) };
    return { role: 'assistant', content: null, calls: [call] };
  };
  const tools = { step: task.step };
  return async (agent) => {
    const messages = [{ role: 'user', content: task.prompt(agent) }];
    for (;;) {
      const turn = await model(messages);
      messages.push(turn);
      if (turn.calls === undefined) return turn.content;
      for (const call of turn.calls) {
        const result = tools[call.name](JSON.parse(call.arguments));
        const content = typeof result === 'string' ? result : await result;
        messages.push({ role: 'tool', id: call.id, content });
      }
    }
  };
};
