import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Names what failed once more, a line each, where a reader of a long log looks first: at its end. */
export default class Failures implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      for (const { message } of module.errors()) {
        print(file, message);
      }
      for (const test of module.children.allTests('failed')) {
        const { errors = [] } = test.result();
        const seconds = Math.round((test.diagnostic()?.duration ?? 0) / 1000);
        print(`${file} > ${test.fullName} (${seconds} s)`, errors.map(({ message }) => message).join(' | '));
      }
    }
  }
}

function print(what: string, why: string) {
  process.stdout.write(`FAILED ${what}: ${why.replaceAll(/\s+/g, ' ').slice(0, 300)}\n`);
}
