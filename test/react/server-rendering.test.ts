import { createElement, StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { useAgent } from '../../src/react/use-agent.ts';
import { useRun } from '../../src/react/use-run.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { quiet } from '../support/runs.ts';

test('a server renders both hooks at rest, begins nothing, and is not warned', async () => {
  const warned = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const model = scriptedModel(['Here.']);
  const one = agent({ name: 'one', model });
  const Agent = () => createElement('p', null, useAgent(one, { input: 'go' }).status);
  const Run = () => createElement('p', null, useRun('https://runs.test/r1').connection);
  const html = renderToString(createElement(StrictMode, null, createElement(Agent), createElement(Run)));
  await quiet();
  expect(html).toBe('<p>idle</p><p>idle</p>');
  expect(model.requests).toHaveLength(0);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

test('a server renders a page whose run has an address of the page', () => {
  const Run = () => createElement('p', null, useRun('/runs/r1/events').connection);
  expect(renderToString(createElement(Run))).toBe('<p>idle</p>');
});

test('what is neither a run nor a URL is an error of the component, by name', () => {
  // @ts-expect-error what JavaScript may give
  const Run = () => createElement('p', null, useRun(7).connection);
  expect(() => renderToString(createElement(Run))).toThrow(
    expect.objectContaining({ code: 'stream.invalid' }),
  );
});

test('what is not an agent, or has no options, is an error of the component, by name', () => {
  const one = agent({ name: 'one', model: scriptedModel([]) });
  // @ts-expect-error what JavaScript may give
  const Nobody = () => createElement('p', null, useAgent(undefined).status);
  const Nothing = () => createElement('p', null, useAgent(one, null as never).status);
  for (const component of [Nobody, Nothing])
    expect(() => renderToString(createElement(component))).toThrow(
      expect.objectContaining({ code: 'agent.invalid' }),
    );
});
