import { Worker } from 'node:worker_threads';
import {
  analyzeScript,
  type ScriptAnalysis,
  unfinishedAnalysis,
} from '#gateway/permissions/bash/script-analysis.ts';
import type { SecondParser } from '#gateway/permissions/bash/second-reading.ts';
import { loadBashGrammar } from './bash-grammar.ts';

/** Finds out what scripts do, without ever holding up anybody else for long. */
export interface ScriptAnalyser extends AsyncDisposable {
  /** Analyses a script; what takes too long is given up and comes back as such. The home folder may be unknown. */
  analyse(script: string, homeDirectory: string | undefined): Promise<ScriptAnalysis>;
}

/** A script for the worker. */
export interface AnalysisJob {
  readonly script: string;
  readonly homeDirectory: string | undefined;
}

/** Longest script, in characters, that is analysed where everything else runs. */
const LONGEST_ON_MAIN_THREAD = 2_000;
/** Opening brackets and backquotes of such a script; the time for nested ones grows with the square. */
const MOST_NESTED_ON_MAIN_THREAD = 100;
/** Time the worker has for one script. The two parsers took up to 117 ms for 10,000 hostile characters. */
const BUDGET_MS = 100;
/** Time a new worker has to load the grammar. */
const START_TIMEOUT_MS = 20_000;

/** Loads the second parser; the worker starts with the first long script. Whoever makes it disposes it. */
export async function createScriptAnalyser(): Promise<ScriptAnalyser> {
  const secondParser: SecondParser = await loadBashGrammar();
  const worker = new AnalysisWorker();
  let turn: Promise<unknown> = Promise.resolve();
  return {
    analyse: async (script, homeDirectory) => {
      if (isQuick(script)) return analyzeScript(script, { homeDirectory, secondParser });
      const result = turn.then(() => worker.analyse({ script, homeDirectory }));
      turn = result;
      return (await result) ?? unfinishedAnalysis(script);
    },
    [Symbol.asyncDispose]: async () => {
      await turn;
      await worker.stop();
    },
  };
}

function isQuick(script: string): boolean {
  if (script.length > LONGEST_ON_MAIN_THREAD) return false;
  return (script.match(/[({`]/g)?.length ?? 0) <= MOST_NESTED_ON_MAIN_THREAD;
}

/** One worker thread at a time; one that does not answer in time is ended, and another one started at once. */
class AnalysisWorker {
  #worker: Promise<Worker> | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  async analyse(job: AnalysisJob): Promise<ScriptAnalysis | undefined> {
    this.#worker ??= startWorker();
    const started = this.#worker;
    try {
      const worker = await started;
      const answer = nextMessage(worker, BUDGET_MS);
      worker.postMessage(job);
      return (await answer) as ScriptAnalysis;
    } catch {
      // Out of time or out of memory: the script is at fault, and the caller asks a person.
      this.#ended = Promise.all([this.#ended, endWorker(started)]);
      this.#worker = startWorker();
      // Whoever needs it next meets its failure.
      this.#worker.catch(() => {});
      return undefined;
    }
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await Promise.all([this.#ended, worker === undefined ? undefined : endWorker(worker)]);
  }
}

async function startWorker(): Promise<Worker> {
  const worker = new Worker(new URL('./script-analysis-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // Without a listener an error of the thread would end the process; it shows as an answer that never comes.
  worker.on('error', () => {});
  worker.unref();
  try {
    await nextMessage(worker, START_TIMEOUT_MS);
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

async function endWorker(started: Promise<Worker>): Promise<void> {
  const worker = await started.catch(() => undefined);
  await worker?.terminate();
}

function nextMessage(worker: Worker, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      worker.off('exit', onExit);
      end();
    };
    const onMessage = (message: unknown): void => settle(() => resolve(message));
    const onExit = (): void => settle(() => reject(new Error('the worker ended')));
    const timer = setTimeout(() => settle(() => reject(new Error('the worker took too long'))), timeoutMs);
    worker.on('message', onMessage);
    worker.on('exit', onExit);
  });
}
