import { defineConfig } from 'vitest/config';

const project = (name: string, timeoutMs: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs * 2,
  },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', 10_000),
      project('integration', 60_000),
      project('docker', 120_000),
      project('conformance', 60_000),
    ],
  },
});
