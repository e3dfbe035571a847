import { describeClient } from '#test/client-contract.ts';
import { typescriptClient } from '#test/typescript-client.ts';

await describeClient(typescriptClient);
