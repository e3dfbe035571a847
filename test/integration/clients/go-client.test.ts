import { describeClient } from '#test/client-contract.ts';
import { goClient } from '#test/go-client.ts';

await describeClient(goClient);
