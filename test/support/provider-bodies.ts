import type { JsonObject } from '../../src/base/json/json.ts';
import type { ModelRequest } from '../../src/contracts/models/model.ts';
import { anthropicRequest } from '../../src/models/anthropic/anthropic-request.ts';
import { toolInputs } from '../../src/models/calls/tool-inputs.ts';
import { toolNames } from '../../src/models/calls/tool-names.ts';
import { chatProfiles } from '../../src/models/openai/chat-profiles.ts';
import { chatRequest } from '../../src/models/openai/chat-request.ts';
import { openaiRequest } from '../../src/models/openai/responses-request.ts';
import { noMedia } from '../../src/models/wire/media-bytes.ts';

/** The bodies that our adapters make of a request, with the paths that they go to. */
export const bodiesOf = (request: ModelRequest) => {
  const names = toolNames(request.tools.map(({ name }) => name));
  const wire = { request, names, inputs: toolInputs(request.tools), media: noMedia };
  const who = { provider: 'compatible', model: 'm' };
  const chat = (profile: (typeof chatProfiles)[keyof typeof chatProfiles]) =>
    chatRequest({ ...wire, who }, { profile, isStreamed: true });
  return [
    { path: '/responses', body: openaiRequest('m', wire) },
    { path: '/messages', body: anthropicRequest('m', wire) },
    { path: '/chat/completions', body: chat(chatProfiles.mistral) },
    { path: '/chat/completions', body: chat(chatProfiles.gemini) },
  ].map(({ path, body }) => ({ path, body: JSON.parse(JSON.stringify(body)) as JsonObject }));
};
