import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { TokenUsageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { type Model, type ModelChunk, ModelError, type ModelRequest } from '../model.ts';
import { type ChosenTurn, chooseTurn } from './choose-turn.ts';
import { loadScript } from './load-script.ts';
import { locateScript } from './locate-script.ts';
import { captureTexts, findFailedExpectation } from './script-expectations.ts';
import type { Script, ScriptTurn } from './script-schema.ts';
import { fillTemplate } from './script-template.ts';
import { type ScriptView, viewHistory } from './script-view.ts';

const FINISHES = {
  stop: ModelFinish.STOP,
  tool_calls: ModelFinish.TOOL_CALLS,
  length: ModelFinish.LENGTH,
  content_filter: ModelFinish.CONTENT_FILTER,
} as const;

/** Plays a script file, read anew for every request; which turn is played follows from the history alone. */
export function createScriptModel(options: { readonly scriptsDir: string; readonly file: string }): Model {
  const { scriptsDir, file } = options;
  return {
    name: `script:${file}`,
    async *stream(request, signal) {
      signal.throwIfAborted();
      const location = locateScript(scriptsDir, file);
      if (location.kind === 'refused') {
        throw badScript(`Script ${file} cannot be played: ${location.problem}.`);
      }
      const view = viewHistory(request.messages);
      const chosen = turnOf(file, await loadScript(location.path, file, signal), view);
      const captured = captureTexts(chosen.turn, view);
      const failure =
        findFailedExpectation(chosen.turn, view) ??
        (captured.kind === 'failed' ? captured.failure : undefined);
      if (failure !== undefined || captured.kind === 'failed') {
        if (chosen.otherwise === undefined) throw badScript(`Script ${file}, ${chosen.label}: ${failure}.`);
        yield* endReply(chosen.otherwise, request);
        return;
      }
      yield* playTurn(chosen.turn, captured.texts, request, signal);
    },
  };
}

function turnOf(file: string, script: Script, view: ScriptView): Extract<ChosenTurn, { kind: 'chosen' }> {
  const chosen = chooseTurn(script, view);
  if (chosen.kind === 'none') throw badScript(`Script ${file}: ${chosen.problem}.`);
  return chosen;
}

function* endReply(text: string, { messages }: ModelRequest): Generator<ModelChunk> {
  const holes = new Map([['user', viewHistory(messages).userTexts.at(-1) ?? '']]);
  for (const piece of inPieces(fillTemplate(text, holes))) yield { kind: 'text', text: piece };
  yield { kind: 'finish', finish: ModelFinish.STOP, usage: create(TokenUsageSchema) };
}

async function* playTurn(
  turn: ScriptTurn,
  texts: ReadonlyMap<string, string>,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  for (const chunk of turnChunks(turn, texts, request.iteration)) {
    if (turn.delay_ms > 0) {
      await waitFor(turn.delay_ms, signal);
    }
    signal.throwIfAborted();
    yield chunk;
  }
  if (turn.error !== undefined) {
    throw new ModelError({ reason: turn.error.reason, message: fillTemplate(turn.error.message, texts) });
  }
  yield {
    kind: 'finish',
    finish: FINISHES[turn.finish ?? (turn.calls.length > 0 ? 'tool_calls' : 'stop')],
    usage: create(TokenUsageSchema, {
      inputTokens: BigInt(turn.usage.input),
      outputTokens: BigInt(turn.usage.output),
    }),
  };
}

function* turnChunks(
  turn: ScriptTurn,
  texts: ReadonlyMap<string, string>,
  iteration: number,
): Generator<ModelChunk> {
  for (const text of inPieces(fillTemplate(turn.thinking ?? '', texts))) {
    yield { kind: 'thinking', text };
  }
  for (const text of inPieces(fillTemplate(turn.text ?? '', texts))) {
    yield { kind: 'text', text };
  }
  for (const [index, call] of turn.calls.entries()) {
    const input = fillTemplate(call.input, texts);
    const argumentsText = typeof input === 'string' ? input : JSON.stringify(input);
    const providerCallId = call.id ?? `script-${iteration}-${index + 1}`;
    const [first = '', ...rest] = inPieces(argumentsText);
    yield { kind: 'tool-call', providerCallId, index, name: call.tool, argumentsDelta: first };
    for (const argumentsDelta of rest) {
      yield { kind: 'tool-call', providerCallId, index, name: '', argumentsDelta };
    }
  }
}

const MIN_PIECE_CHARACTERS = 12;
const MAX_PIECES = 16;

function inPieces(text: string): string[] {
  const characters = Math.max(MIN_PIECE_CHARACTERS, Math.ceil(text.length / MAX_PIECES));
  return text.match(new RegExp(`.{1,${characters}}`, 'gsu')) ?? [];
}

async function waitFor(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(delayMs, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}

function badScript(message: string): ModelError {
  return new ModelError({ reason: 'BAD_SCRIPT', message });
}
