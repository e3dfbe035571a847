import { parentPort } from 'node:worker_threads';
import { analyzeScript } from '#gateway/permissions/bash/script-analysis.ts';
import { loadBashGrammar } from './bash-grammar.ts';
import type { AnalysisJob } from './script-analyser.ts';

const secondParser = await loadBashGrammar();
parentPort?.on('message', ({ script, homeDirectory }: AnalysisJob) => {
  parentPort?.postMessage(analyzeScript(script, { homeDirectory, secondParser }));
});
parentPort?.postMessage('ready');
