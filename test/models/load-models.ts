// Loaded by models when they are first asked. What loads takes real time, in which a virtual clock may pass a whole wait.
import '@anthropic-ai/sdk';
import 'openai';
import '../../src/models/anthropic/anthropic-answer.ts';
import '../../src/models/anthropic/anthropic-batches.ts';
import '../../src/models/anthropic/anthropic-request.ts';
import '../../src/models/batch/ask-by-batch.ts';
import '../../src/models/openai/chat-answer.ts';
import '../../src/models/openai/chat-request.ts';
import '../../src/models/openai/openai-batches.ts';
import '../../src/models/openai/responses-answer.ts';
import '../../src/models/openai/responses-request.ts';
import '../../src/models/wire/ask-provider.ts';
