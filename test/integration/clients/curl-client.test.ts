import { describeClient } from '#test/client-contract.ts';
import { curlClient } from '#test/curl-client.ts';

await describeClient(curlClient);
