import { describe, expect, test } from 'vitest';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { Retryable } from '../../src/contracts/errors/error-data.ts';
import { classifyToolError } from '../../src/tools/calls/classify-tool-error.ts';

const coded = (code: string) => Object.assign(new Error('it failed'), { code });

describe('whether trying a tool again can help', () => {
  test.each<[string, unknown, Retryable]>([
    ['a broken connection', coded('ECONNRESET'), 'yes'],
    ['a name that is not resolved now', coded('EAI_AGAIN'), 'yes'],
    ['a body that does not come', coded('UND_ERR_BODY_TIMEOUT'), 'yes'],
    ['a busy file', coded('EBUSY'), 'yes'],
    ['a locked SQLite', coded('SQLITE_BUSY'), 'yes'],
    ['a deadlock in PostgreSQL', coded('40P01'), 'yes'],
    ['a deadlock in MySQL', coded('ER_LOCK_DEADLOCK'), 'yes'],
    ['a deadlock in words', new Error('Deadlock found when trying to get lock'), 'yes'],
    ['a lock in words', new Error('database is locked'), 'yes'],
    ['a 503', Object.assign(new Error('x'), { status: 503 }), 'yes'],
    ['a 503 in words', new Error('503 Service Unavailable'), 'yes'],
    ['a 429', Object.assign(new Error('x'), { statusCode: 429 }), 'yes'],
    ['a 500 of a response', Object.assign(new Error('x'), { response: { status: 500 } }), 'yes'],
    ['a time-out', new DOMException('too slow', 'TimeoutError'), 'yes'],
    ['fetch, which hides its reason', new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }), 'yes'],
    ['whatever is at the bottom of it', new TypeError('x', { cause: coded('ECONNREFUSED') }), 'yes'],
    ['fetch without a reason', new TypeError('fetch failed'), 'yes'],
    ['a missing file', coded('ENOENT'), 'no'],
    ['a forbidden file', coded('EACCES'), 'no'],
    ['a wrong argument', coded('ERR_INVALID_ARG_TYPE'), 'no'],
    ['a 404', Object.assign(new Error('x'), { status: 404 }), 'no'],
    ['a 501', Object.assign(new Error('x'), { status: 501 }), 'no'],
    ['what is not found', new Error('Customer not found'), 'no'],
    ['what is forbidden', new Error('permission denied'), 'no'],
    ['what is invalid, as a string', 'invalid date', 'no'],
    ['a bug', new TypeError("Cannot read properties of undefined (reading 'x')"), 'no'],
    ['its own word', Object.assign(new Error('not found'), { retryable: true }), 'yes'],
    ['its own error', new TroupeError('tool.failed', 'database is locked', { retryable: 'no' }), 'no'],
    ['anything else', new Error('boom'), 'maybe'],
    ['an odd thing', { odd: true }, 'maybe'],
    ['nothing', undefined, 'maybe'],
  ])('[DODO-33] %s', (_, thrown, retryable) => {
    expect(classifyToolError(thrown)).toBe(retryable);
  });

  test('[DODO-33] an error that causes itself is looked at only so long', () => {
    const error = new Error('boom');
    error.cause = error;
    expect(classifyToolError(error)).toBe('maybe');
  });
});
