import type { Command } from 'commander';
import type { Config } from '../config/index.ts';
import type { CodeOwner, SignInCodes } from '../sessions/index.ts';

export interface ConsoleCodeCommand {
  /** Opens the database; `check` gives a reason why nobody can sign in as this owner, if there is one. */
  openCodes(): Promise<{
    codes: Pick<SignInCodes, 'create'>;
    check(owner: CodeOwner): Promise<string | undefined>;
    close(): Promise<void>;
  }>;
  /** Where browsers find the service, without a slash at its end. */
  address(): string;
  write?: (line: string) => void;
}

/** `console-code`: prints a link that signs in to the console once. */
export function registerConsoleCode(program: Command, options: ConsoleCodeCommand): void {
  const { write = (line) => console.log(line) } = options;
  program
    .command('console-code')
    .description('Print a link that signs in to the console: once, within 10 minutes. Anyone who has it can sign in.')
    .option('--account <id>', 'as the owner of this account')
    .option('--operator <name>', 'as this operator, named as in the secrets file ("environment": OPERATOR_TOKEN)')
    .action(async (given: { account?: string; operator?: string }) => {
      const owner = ownerOf(given);
      const { codes, check, close } = await options.openCodes();
      try {
        const problem = await check(owner);
        if (problem !== undefined) throw new Error(problem);
        write(consoleLink(options.address(), await codes.create(owner)));
      } finally {
        await close();
      }
    });
}

/** The code is in the fragment, which browsers send to nobody, so that no log has it. */
export function consoleLink(address: string, code: string): string {
  return `${address}/console/#code=${code}`;
}

/** Where a browser finds the service: on this machine by the name that browsers take for safe. */
export function browserAddress({ publicUrl, tls, port }: Pick<Config['http'], 'publicUrl' | 'tls' | 'port'>): string {
  return publicUrl?.replace(/\/+$/, '') ?? `${tls ? 'https' : 'http'}://localhost:${port}`;
}

function ownerOf({ account, operator }: { account?: string; operator?: string }): CodeOwner {
  if (account !== undefined && operator === undefined) return { accountId: account };
  if (operator !== undefined && account === undefined) return { operator };
  throw new Error('Say who signs in: --account acc_..., or --operator NAME.');
}
